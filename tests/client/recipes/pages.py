"""Passes requests through the middleware of docs/recipes/python.md."""
import json, os
from edgeboard import Edgeboard
from middleware import counting

edgeboard = Edgeboard(os.environ["WORKER"], "demo", os.environ["WRITE_TOKEN"])


def app(environ, start_response):
    start_response(f"{environ['test.status']} .", [("Content-Type", environ["test.type"])])
    return [b""]


counted = counting(app, edgeboard)
for asked in json.loads(os.environ["REQUESTS"]):
    environ = {
        "REQUEST_METHOD": asked["method"],
        "PATH_INFO": asked["decoded"].encode().decode("latin-1"),
        "REMOTE_ADDR": asked["address"],
        "test.status": asked["status"],
        "test.type": asked["type"],
        **({"HTTP_USER_AGENT": asked["agent"]} if asked["agent"] else {}),
        **({"HTTP_SEC_PURPOSE": asked["purpose"]} if asked["purpose"] else {}),
    }
    assert list(counted(environ, lambda status, headers: None)) == [b""]
edgeboard.close()
