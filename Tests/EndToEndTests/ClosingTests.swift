import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests that a player exits on request, even while a file, a server or a name lookup does not reply.
///
/// The simulated servers and files never reply, so a player that waits for them exceeds every time limit.
@Suite("Closing")
struct ClosingTests {
    private static let playerOptions = ["--vo=null", "--ao=null"]
    /// The time limit for the exit of the player.
    private static let exitTimeout = Duration.seconds(30)

    /// Makes `player` exit, with SIGTERM or with the IPC command `quit`, and checks the exit code.
    private func exitPlayer(_ player: RunningPlayer, bySignal: Bool) throws {
        if bySignal {
            player.child.signal(SIGTERM)
            #expect(try player.child.waitForExit(within: Self.exitTimeout).reason == .exited(4))
        } else {
            try player.ipc.command(["quit"])
            #expect(try player.child.waitForExit(within: Self.exitTimeout).isSuccess)
        }
    }

    @Test("a player that was started by nohup plays on after SIGHUP")
    func playerWithNohupIgnoresTheHangUp() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory(), socketPath = directory.path + "/ipc"
            let child = try ChildProcess(
                Products.systemProgram("nohup"),
                [Products.swiftplayPath, "--input-ipc-server=\(socketPath)"] + Self.playerOptions
                    + ["--loop-file=inf", Fixtures.path("count30.mp4")],
                runtimeDirectory: directory)
            let ipc = try IPCClient(path: socketPath)
            let time = try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0 }.number ?? 0
            child.signal(SIGHUP)
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time }
            try ipc.command(["quit"])
            #expect(try child.waitForExit(within: Self.exitTimeout).isSuccess)
        }
    }

    @Test("the player exits while it scans a long raw stream for a seek position", arguments: [false, true])
    func playerExitsWhileItScansAStream(bySignal: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), path = scratch.file("sparse.h264")
            try FileManager.default.copyItem(atPath: Fixtures.path("raw.h264"), toPath: path)
            try #require(truncate(path, 40 << 30) == 0)
            let player = try RunningPlayer(files: [path], Self.playerOptions + ["--start=300"], nil, [:])
            try player.ipc.waitForProperty("track-list/count") { ($0.number ?? 0) > 0 }
            try exitPlayer(player, bySignal: bySignal)
        }
    }

    @Test("the player exits while a server does not reply", arguments: ["http", "https"])
    func playerExitsWhileAServerDoesNotReply(scheme: String) async throws {
        try await TestEnvironment.runExclusively {
            let script = """
                import socket, sys
                listener = socket.create_server(("127.0.0.1", 0))
                print(listener.getsockname()[1], flush=True)
                kept = []
                while True:
                    kept.append(listener.accept())
                    print("accepted", file=sys.stderr, flush=True)
                """
            let server = try ChildProcess(Products.systemProgram("python3"), ["-c", script])
            try #require(server.output.wait(for: "\n"), "\(server.errors.text)")
            let port = server.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
            let player = try RunningPlayer(
                files: ["\(scheme)://127.0.0.1:\(port)/film.mkv"], Self.playerOptions, nil, [:])
            try #require(server.errors.wait(for: "accepted"))
            try exitPlayer(player, bySignal: false)
        }
    }

    /// Runs the player in a network namespace whose name server receives queries and never replies.
    @Test("the player exits while a host name is looked up")
    func playerExitsWhileAHostNameIsLookedUp() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), directory = try RuntimeDirectory()
            let script = """
                import fcntl, os, socket, struct, subprocess, sys
                with open(sys.argv[1], "w") as file: file.write("nameserver 127.0.0.1\\noptions timeout:20\\n")
                with open(sys.argv[2], "w") as file: file.write("hosts: dns\\n")
                for replacement, target in ((sys.argv[1], "/etc/resolv.conf"), (sys.argv[2], "/etc/nsswitch.conf")):
                    subprocess.run(["mount", "--bind", replacement, os.path.realpath(target)], check=True)
                control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", b"lo", 1))
                control.close()
                server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                server.bind(("127.0.0.1", 53))
                if os.fork() == 0:
                    while True:
                        server.recv(4096)
                        print("queried", file=sys.stderr, flush=True)
                server.close()
                os.execv(sys.argv[3], sys.argv[3:])
                """
            let socketPath = directory.path + "/ipc"
            let child = try ChildProcess(
                Products.systemProgram("unshare"),
                [
                    "-rnm", Products.systemProgram("python3"), "-c", script, scratch.file("resolv.conf"),
                    scratch.file("nsswitch.conf"),
                    Products.swiftplayPath, "--input-ipc-server=\(socketPath)",
                ] + Self.playerOptions + ["http://films.example/film.mkv"],
                runtimeDirectory: directory)
            try #require(child.errors.wait(for: "queried"), "\(child.errors.text)")
            let ipc = try IPCClient(path: socketPath)
            try ipc.command(["quit"])
            #expect(try child.waitForExit(within: Self.exitTimeout).isSuccess, "\(child.errors.text)")
        }
    }

    /// Plays from a FUSE file system that replies to the first `replyCount` read requests and to no later ones.
    @Test("the player exits while a file system does not reply", arguments: [0, 4])
    func playerExitsWhileAFileSystemDoesNotReply(replyCount: Int) async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), directory = try RuntimeDirectory()
            try FileManager.default.createDirectory(atPath: scratch.file("mounted"), withIntermediateDirectories: false)
            let socketPath = directory.path + "/ipc"
            let child = try ChildProcess(
                Products.systemProgram("unshare"),
                [
                    "-rm", Products.systemProgram("python3"), "-c", Self.hangingFileSystemScript,
                    scratch.file("mounted"),
                    Fixtures.path("count30.mkv"),
                    "\(replyCount)", Products.swiftplayPath, "--input-ipc-server=\(socketPath)",
                ] + Self.playerOptions + [scratch.file("mounted") + "/film.mkv"],
                runtimeDirectory: directory)
            try #require(child.errors.wait(for: "hangs"), "\(child.errors.text)")
            let ipc = try IPCClient(path: socketPath)
            try ipc.command(["quit"])
            #expect(try child.waitForExit(within: Self.exitTimeout).isSuccess, "\(child.errors.text)")
        }
    }

    @Test("a relative --start in a file of unknown length is ignored with a warning")
    func relativeStartInAFileOfUnknownLengthIsIgnored() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("raw.h264", options: Self.playerOptions + ["--untimed", "--start=90%"])
            #expect(try player.child.waitForExit(within: .seconds(30)).isSuccess)
            #expect(player.child.errors.text.contains("--start is ignored"), "\(player.child.errors.text)")
        }
    }

    /// A Python script that mounts a FUSE file system with one file, `film.mkv`, and then executes its remaining
    /// arguments as a command.
    ///
    /// The script replies to the kernel's FUSE requests. Its variable `code` is an opcode of `linux/fuse.h`, such as 15
    /// for `FUSE_READ`.
    private static let hangingFileSystemScript = """
        import ctypes, os, struct, sys
        directory, source, answered = sys.argv[1], sys.argv[2], int(sys.argv[3])
        data = open(source, "rb").read()
        device = os.open("/dev/fuse", os.O_RDWR)
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
        if libc.mount(b"hang", directory.encode(), b"fuse", 6, options) != 0:
            sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
        def attributes(node):
            mode, size = (0o40755, 0) if node == 1 else (0o100644, len(data))
            times, owner = (0,) * 6, (0,) * 3
            return struct.pack("<QQQQQQIIIIIIIIII", node, size, size // 512, *times, mode, 1, *owner, 4096, 0)
        if os.fork() == 0:
            print("mounted", flush=True)
            while True:
                request = os.read(device, 1 << 20)
                length, code, unique, node, uid, gid, pid, _ = struct.unpack_from("<IIQQIIII", request)
                body = request[40:]
                def answer(payload, error=0):
                    os.write(device, struct.pack("<IiQ", 16 + len(payload), error, unique) + payload)
                if code == 26:
                    answer(struct.pack("<IIIIHHIIHHI", 7, 31, 65536, 1, 16, 12, 65536, 1, 0, 0, 0) + bytes(28))
                elif code == 1 and body.startswith(b"film.mkv\\0"):
                    answer(struct.pack("<QQQQII", 2, 0, 1, 1, 0, 0) + attributes(2))
                elif code == 1: answer(b"", -2)
                elif code == 3: answer(struct.pack("<QII", 1, 0, 0) + attributes(node))
                elif code in (14, 27): answer(struct.pack("<QII", 1, 0, 0))
                elif code == 15:
                    offset, size = struct.unpack_from("<8xQI", body)
                    if answered > 0:
                        answered -= 1
                        answer(data[offset:offset + size])
                    else: print("hangs", file=sys.stderr, flush=True)
                elif code in (2, 36, 42): pass
                elif code in (18, 25, 29): answer(b"")
                else: answer(b"", -38)
        os.close(device)
        os.execv(sys.argv[4], sys.argv[4:])
        """
}
