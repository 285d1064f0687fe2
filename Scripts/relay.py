#!/usr/bin/env python3
"""A drand relay for tests, on the loopback interface, that plays whatever a relay can do wrong.

usage: relay.py BEACONS.json LOG

BEACONS.json holds {chain hash: {round: signature}} and is read again for every request. The port is
printed on standard output; every request's path is added to LOG. It serves until standard input ends.

The first part of a path names what is played: http://127.0.0.1:PORT/404/<chain>/public/<round>.
"""

import hashlib
import http.server
import json
import sys
import threading
import time

BEACONS, LOG = sys.argv[1], sys.argv[2]
counts = {}
lock = threading.Lock()


def flipped(signature):
    return signature[:-1] + ("0" if signature[-1] != "0" else "1")


class Relay(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def beacon(self, number, signature, **more):
        self.answer(200, json.dumps({"round": number, "signature": signature, **more}).encode())

    def do_GET(self):
        with lock:
            counts[self.path] = counts.get(self.path, 0) + 1
            count = counts[self.path]
            with open(LOG, "a") as log:
                log.write(self.path + "\n")
        try:
            play, chain, _, number = self.path.strip("/").split("/")
            with open(BEACONS) as file:
                known = json.load(file).get(chain, {})
            self.play(play, int(number), known, count)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def play(self, play, number, known, count):
        signature = known.get(str(number))
        others = [(int(n), s) for n, s in known.items() if int(n) != number]
        if play.isdigit():
            self.answer(int(play), b"\x1b]0;owned\x07\x1b[2J too early, or gone\n")
        elif play == "good":
            if signature:
                self.beacon(number, signature)
            else:
                self.answer(404)
        elif play == "v1":
            randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
            self.beacon(number, signature, randomness=randomness, previous_signature="")
        elif play == "late":
            if count < 3:
                self.answer(425)
            else:
                self.beacon(number, signature)
        elif play == "redirect":
            self.answer(302, headers=[("Location", self.path.replace("redirect", "good"))])
        elif play == "hang":
            time.sleep(60)
        elif play == "garbage":
            self.answer(200, b"<html>\x1b[31m\x00\xff</html>\n200")
        elif play == "noise":
            self.wfile.write(b"\x1b]0;owned\x07\xff\xfe no HTTP at all\n")
            self.close_connection = True
        elif play == "close":
            self.close_connection = True
        elif play == "long":
            self.send_response(200)
            self.send_header("Content-Length", str(1 << 30))
            self.end_headers()
            self.flood(lambda piece: piece)
        elif play == "endless":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.flood(lambda piece: b"%x\r\n" % len(piece) + piece + b"\r\n")
        elif play == "otherround":
            self.beacon(*others[0])
        elif play == "mislabelled":
            self.beacon(number, others[0][1])
        elif play == "forged":
            self.beacon(number, flipped(signature or others[0][1]))
        elif play == "short":
            self.beacon(number, (signature or others[0][1])[:-2])
        elif play == "infinity":
            self.beacon(number, "c0" + "00" * 47)
        else:
            self.answer(501)

    def flood(self, framed):
        """1 GiB of what looks like the end of an answer."""
        piece = b"\n200" * (1 << 14)
        for _ in range((1 << 30) // len(piece)):
            self.wfile.write(framed(piece))


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
