# JupyterLab with both kernels, everything compiled in advance:
#   docker build -t agekit .
#   docker run --rm -p 8888:8888 agekit
# Go modules, Python packages and the XLA plugin are pinned with hashes in this
# repository; the base image has Go, gcc, git, make and curl. `make image-test` builds
# the image and tries it; `make image-digest` looks up the base image's digest.
# Binder builds the image too, and a dev container its first stage:
# docs/open-anywhere.md.
FROM golang:1.26.8-bookworm@sha256:f4191582e1522dfc5980a6bdc0309a756f9697f3e7d0f199c7e26fc82ab324fd AS base

# Binder sets both.
ARG NB_USER=agekit
ARG NB_UID=1000
RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid "$NB_UID" --shell /bin/bash "$NB_USER" \
 && install --directory --owner="$NB_USER" --group="$NB_USER" "/home/$NB_USER/agekit"
ENV USER=${NB_USER} HOME=/home/${NB_USER} GOPATH=/home/${NB_USER}/go
USER ${NB_USER}
WORKDIR /home/${NB_USER}/agekit

FROM base

# Layers that rarely change come first, so that Docker can cache them. Only building
# the tools needs their modules.
COPY --chown=${USER}:${USER} tools/ tools/
COPY --chown=${USER}:${USER} scripts/jupyter.sh scripts/requirements.txt scripts/lab-settings.json scripts/lab.css scripts/
COPY --chown=${USER}:${USER} Makefile ./
RUN make tools && go clean -cache -modcache \
 && PIP_NO_CACHE_DIR=1 make jupyter \
 && ln -s jupyter-lab .venv/bin/jupyter-notebook
COPY --chown=${USER}:${USER} go.mod go.sum ./
RUN go mod download && go list -m all >/dev/null
COPY --chown=${USER}:${USER} . .
RUN make build warm && .bin/agekit backend install cpu \
 && .venv/bin/python -I -m nbformat.sign notebooks/[0-9][0-9]_*.ipynb

# Binder starts `jupyter notebook`, elsewhere than in the lab's folder.
ENV PATH=${HOME}/agekit/.venv/bin:${HOME}/agekit/.bin:${PATH} JUPYTER_PATH=${HOME}/agekit
EXPOSE 8888
HEALTHCHECK --start-period=30s CMD ["curl", "--fail", "--silent", "--show-error", "--output", "/dev/null", "http://localhost:8888/api"]
# Not through make, which would not pass on the signal to stop.
CMD ["jupyter-lab", "--ip=0.0.0.0", "--port=8888", "--no-browser", "--notebook-dir=notebooks"]
