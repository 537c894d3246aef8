"""An X server without XKB: forwards a Unix socket's connections to a server, and hides the extension from its clients.

usage: x-without-xkb.py SOCKET SERVER_SOCKET
Prints "ready" when it listens. Descriptors are not forwarded.
"""
import os, selectors, socket, sys

listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
selector = selectors.DefaultSelector()
selector.register(listener, selectors.EVENT_READ, None)
print("ready", flush=True)
while True:
    for key, _ in selector.select():
        if key.data is None:
            client, _ = listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(sys.argv[2])
            selector.register(client, selectors.EVENT_READ, (server, True))
            selector.register(server, selectors.EVENT_READ, (client, False))
            continue
        other, is_client = key.data
        data = key.fileobj.recv(1 << 16)
        if not data:
            for end in (key.fileobj, other):
                selector.unregister(end)
                end.close()
            break
        # QueryExtension names the extension. A request is written at once.
        other.sendall(data.replace(b"XKEYBOARD", b"NOKEYBORD") if is_client else data)
