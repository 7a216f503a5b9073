"""Sends a kernel the cells of a JSON list on standard input and prints what it
answers as another list. A cell is {"run": source}, answered with the text that a
notebook shows below it, or {"complete": source}, answered with the matches at its
end."""

import json
import sys

from jupyter_client.manager import start_new_kernel


def run(client, source):
    shown = ""

    def show(message):
        nonlocal shown
        content = message["content"]
        if message["msg_type"] == "stream":
            shown += content["text"]
        elif message["msg_type"] == "error":
            shown += "\n".join(content["traceback"]) + "\n"
        elif message["msg_type"] not in ("status", "execute_input"):
            shown += f"[{message['msg_type']}]\n"

    client.execute_interactive(source, output_hook=show, timeout=120)
    return shown


def complete(client, source):
    # It fails while gopls type-checks for the first time on this machine.
    for _ in range(10):
        answer = client.complete(source, reply=True, timeout=60)["content"]
        if answer["status"] == "ok":
            break
    start, end = answer["cursor_start"], answer["cursor_end"]
    return sorted(source[:start] + match + source[end:] for match in answer["matches"])


manager, client = start_new_kernel(kernel_name=sys.argv[1])
try:
    requests = {"run": run, "complete": complete}
    print(json.dumps([requests[kind](client, source) for cell in json.load(sys.stdin) for kind, source in cell.items()]))
finally:
    client.stop_channels()
    manager.shutdown_kernel()
