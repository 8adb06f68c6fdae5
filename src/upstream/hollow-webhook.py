#!/usr/bin/env python3
"""A mutating webhook that tells hollow nodes how upstream's end-to-end pods behave.

Hollow pods run no scripts. For the scripts that upstream's specs know, the webhook adds the annotations
hollow.wheelhouse.dev/* with the same outcome. It remembers the marker files that these scripts leave on a node.

usage: hollow-webhook.py PORT CERTIFICATE KEY DIRECTORY, in which kubectl leaves a file NAMESPACE_POD for each pod that the
specs let continue
"""
import base64
import http.server
import json
import os
import random
import ssl
import sys
import threading

PREFIX = "hollow.wheelhouse.dev/"
markers = set()
lock = threading.Lock()


def first(marker):
    """Whether nobody has left this marker before; leaves it."""
    with lock:
        new = marker not in markers
        markers.add(marker)
        return new


def behaviour(namespace, pod, container):
    """The annotations of a container, by key."""
    name = pod["metadata"].get("name", "")
    script = " ".join(container.get("command", []) + container.get("args", []))
    probe = " ".join(container.get("readinessProbe", {}).get("exec", {}).get("command", []))
    if probe == "test -f /data/statefulset-continue":
        return {} if os.path.exists(f"{directory}/{namespace}_{name}") else {"ready": "false"}
    if "trap _term SIGTERM" in script:
        code = "143" if "exit 143" in script else "1" if name == "ss3-0" else "0"
        return {"run-for": "300h", "stop-delay": "5s" if "sleep 5" in script else "0s", "stop-code": code}
    index = pod["metadata"].get("annotations", {}).get("batch.kubernetes.io/job-completion-index", "")
    host = next((v["hostPath"]["path"] for v in pod["spec"].get("volumes", []) if "hostPath" in v), None)
    if "$RANDOM / 16384" in script:
        return {"exit-code": str(random.randrange(2))}
    if "expr ${JOB_COMPLETION_INDEX} % 2" in script:
        return {"exit-code": str(int(index) % 2)}
    if "-r /data/foo" not in script:
        # Some specs count on it that a pod does not stop at once.
        return {} if "lifecycle" in container else {"stop-delay": "1s"}
    if host is not None and not first((host, index)):
        return {"exit-code": "0"}
    return {"run-for": "300h"} if "sleep 1000000" in script else {"exit-code": "42,0" if "exit 42" in script else "1,0"}


def annotations(namespace, pod):
    containers = pod["spec"]["containers"]
    return {PREFIX + key + ("" if len(containers) == 1 else "." + container["name"]): value
            for container in containers for key, value in behaviour(namespace, pod, container).items()}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
        pod = request["object"]
        added = annotations(request["namespace"], pod)
        response = {"uid": request["uid"], "allowed": True}
        if added:
            value = {**pod["metadata"].get("annotations", {}), **added}
            patch = [{"op": "add", "path": "/metadata/annotations", "value": value}]
            response.update(patchType="JSONPatch", patch=base64.b64encode(json.dumps(patch).encode()).decode())
        body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments):
        pass


port, certificate, key, directory = sys.argv[1:]
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
