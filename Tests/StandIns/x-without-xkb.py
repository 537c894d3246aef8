"""Acts as an X server without XKB: forwards connections to another server, and hides the extension from clients.

usage: x-without-xkb.py SERVER_SOCKET
Prints its display number when it listens. File descriptors are not forwarded.
"""
import selectors, socket, sys

listener = socket.socket(socket.AF_UNIX)
for number in range(500, 1000):
    try:
        listener.bind("\0/tmp/.X11-unix/X%d" % number)
        break
    except OSError:
        continue
listener.listen()
selector = selectors.DefaultSelector()
selector.register(listener, selectors.EVENT_READ, None)
print(number, flush=True)
while True:
    for key, _ in selector.select():
        if key.data is None:
            client, _ = listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(sys.argv[1])
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
        # Replaces the extension's name in QueryExtension by one of the same length. A client writes a request at once,
        # so that the name is not split between two reads.
        other.sendall(data.replace(b"XKEYBOARD", b"NOKEYBORD") if is_client else data)
