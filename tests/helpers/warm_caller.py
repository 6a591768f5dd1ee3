"""Stands for a process that `warm_start` forks: hands its streams on and ends as that one does."""

import json
import os
import socket
import sys


def call(address: str, words: list[str]) -> int:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    folder = os.getcwd()  # noqa: PTH109 - pathlib takes longer to import than all the rest.
    asked = {"words": words, "folder": folder, "environment": dict(os.environ)}
    text = json.dumps(asked).encode() + b"\n"
    sent = socket.send_fds(connection, [text], [0, 1, 2])
    connection.sendall(text[sent:])
    for stream in (0, 1, 2):
        os.close(stream)
    return int(connection.recv(16) or b"255")


if __name__ == "__main__":
    code = call(sys.argv[1], sys.argv[2:])
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)
