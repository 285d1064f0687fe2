"""Chromium by its DevTools protocol, over a WebSocket (RFC 6455) of this file's own."""
import base64
import json
import os
import socket
import struct
import subprocess
import time


class Socket:
    """A WebSocket to a program on this machine: text messages, both ways."""

    def __init__(self, port, path):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall(
            (f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.stream.recv(65536)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise OSError(f"no WebSocket: {head[:80]!r}")

    def _take(self, count):
        while len(self.buffer) < count:
            data = self.stream.recv(1 << 20)
            if not data:
                raise OSError("the browser is gone")
            self.buffer += data
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        if len(data) < 126:
            head = struct.pack("!BB", 0x81, 0x80 | len(data))
        elif len(data) < 65536:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
        else:
            head = struct.pack("!BBQ", 0x81, 0x80 | 127, len(data))
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self.stream.sendall(head + mask + masked)

    def receive(self):
        message = b""
        while True:
            first, second = self._take(2)
            size = second & 0x7f
            if size == 126:
                size, = struct.unpack("!H", self._take(2))
            elif size == 127:
                size, = struct.unpack("!Q", self._take(8))
            data = self._take(size)
            if first & 0x0f in (0, 1, 2):
                message += data
                if first & 0x80:
                    return message.decode()


class Browser:
    """A headless Chromium with one page, whose events are kept in `events`."""

    def __init__(self, program, profile):
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
             "--autoplay-policy=no-user-gesture-required", "--remote-debugging-port=0",
             f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = os.path.join(profile, "DevToolsActivePort")
        deadline = time.monotonic() + 60
        while not (os.path.exists(port_file) and open(port_file).read().count("\n")):
            if time.monotonic() > deadline or self.process.poll() is not None:
                self.process.kill()
                raise OSError("chromium does not start")
            time.sleep(0.05)
        port, path = open(port_file).read().split("\n")[:2]
        self.socket = Socket(int(port), path)
        self.number, self.events, self.session = 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Debugger", "Audits"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)
                if answer["method"] == "Page.javascriptDialogOpening":
                    # Nobody is here to close it; it stays among the events.
                    self.socket.send(json.dumps({
                        "id": 0, "method": "Page.handleJavaScriptDialog",
                        "params": {"accept": True}, "sessionId": self.session}))

    def open(self, address):
        """Opens an address and waits until all of it is loaded."""
        self.events = []
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + 60
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.value("1")
            if time.monotonic() > deadline:
                raise OSError("the page does not load")
            time.sleep(0.02)

    def value(self, expression):
        """What an expression of JavaScript gives; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise OSError(f"{expression[:60]}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def show(self, width, height, is_mobile, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=is_mobile)
        self.call("Emulation.setEmulatedMedia", media="screen", features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, limit=6000):
        """The page from its top, as far as a picture can reasonably be high."""
        width, height = self.value("[innerWidth, document.documentElement.scrollHeight]")
        return base64.b64decode(self.call(
            "Page.captureScreenshot", captureBeyondViewport=True, clip={
                "x": 0, "y": 0, "width": width, "height": min(height, limit), "scale": 1})["data"])

    def sheets(self, width=8.5, height=11):
        """The page as it is printed, on sheets of so many inches."""
        self.call("Emulation.clearDeviceMetricsOverride")
        return base64.b64decode(self.call(
            "Page.printToPDF", printBackground=False, paperWidth=width, paperHeight=height)["data"])
