"""What a reader sees and does in a browser: notebooks in JupyterLab, and reports."""
