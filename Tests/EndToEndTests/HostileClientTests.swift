import CompositorProtocol
import SharedFrames
import SystemCalls
import TestSupport
import Testing

/// Tests that the compositor disconnects programs that violate its protocol, without an effect on other programs.
@Suite("Hostile clients of the compositor")
struct HostileClientTests {
    /// A name for error messages, and a function that sends messages for which the compositor must disconnect the
    /// client.
    private typealias Attack = (name: String, run: @Sendable (HostileClient) throws -> Void)

    @Test("clients with invalid messages or memory are disconnected; a film loses no frame", .measuresTime)
    func clientsWithInvalidMessagesOrMemoryAreDisconnected() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--pip"])
            let compositor = try player.compositorPID(), recorder = try ScreenRecorder([.pictureInPicture])
            let startChange = try recorder.wait { ($0.frame ?? 0) >= 10 }
            try player.directory.waitUntilAudioRouteIsKnown()
            let initialCount = ProcessUsage.openDescriptorCount(of: compositor)
            for attack in Self.invalidMessageAttacks + Self.invalidMemoryAttacks {
                let client = try HostileClient(directory: player.directory)
                try attack.run(client)
                #expect(client.isDisconnected(), "\(attack.name)")
            }
            let lastFrame = try #require(recorder.recording.frames().last?.frame)
            try recorder.wait { ($0.frame ?? 0) > lastFrame + 10 }
            let recording = recorder.stopRecording().between(startChange.time, .max)
            let droppedCount = try player.ipc.property("frame-drop-count")
            // On a busy machine the player may drop a few frames, which it counts. All other frames must be visible.
            #expect(
                recording.missedFrameNumbers.count <= Int(min(droppedCount.number ?? 0, 10)),
                "missed \(recording.missedFrameNumbers); the player dropped \(droppedCount)")
            #expect(try player.compositorPID() == compositor)
            #expect(
                Deadline.poll(for: .seconds(5)) {
                    ProcessUsage.openDescriptorCount(of: compositor) == initialCount ? true : nil
                } == true)
            try player.quit()
        }
    }

    @Test("clients that send frames of unknown slots or formats are disconnected; the next program gets the window")
    func clientsWithInvalidFramesAreDisconnected() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let compositor = try player.compositorPID()
            for (name, slot, format) in [
                ("unknown slot", 9, 0), ("unknown format", 0, 9), ("layout beyond the slot", 0, 0),
            ] {
                let client = try HostileClient(directory: player.directory), rings = try client.openSession()
                let memory = try MemoryFile(name: "hostile", size: 4096)
                client.send(.addSlot(session: 1, slot: 0), descriptors: [memory.descriptor.raw])
                client.send(.format(session: 1, number: 0, format: try HostileClient.yuvFormat()))
                client.send(.requestStart(session: 1))
                try client.wait(for: .granted(session: 1))
                client.send(.start(session: 1))
                rings.sendFrame(slot: UInt32(slot), format: UInt32(format))
                #expect(client.isDisconnected(), "\(name)")
            }
            try player.enterPictureInPicture()
            let watcher = try ScreenWatcher()
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 10 }
            #expect(try player.compositorPID() == compositor)
            try player.quit()
        }
    }

    /// Clients that send invalid messages.
    private static let invalidMessageAttacks: [Attack] = [
        (
            "random bytes",
            { client in
                var state: UInt64 = 88_172_645_463_325_252
                for length in 1...60 {
                    let bytes = (0..<length * 7).map { _ in
                        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        return UInt8(truncatingIfNeeded: state >> 33)
                    }
                    client.send(bytes: bytes)
                }
            }
        ),
        ("a message before hello", { $0.send(.requestStart(session: 1)) }),
        ("an unsupported protocol version", { $0.send(.hello(newest: 0, oldest: 0, program: "hostile")) }),
        ("a message too long", { $0.send(bytes: [UInt8](repeating: 1, count: 10_000)) }),
        (
            "a message with trailing bytes",
            { client in
                client.sendHello()
                client.send(bytes: ClientMessage.stop(session: 1).encoded + [0])
            }
        ),
        (
            "a message for a session that is not open, then an invalid message",
            { client in
                client.sendHello()
                client.send(.start(session: 7))
                client.send(bytes: [255])
            }
        ),
        (
            "a start that was not granted, then an invalid message",
            { client in
                _ = try client.openSession()
                client.send(.start(session: 1))
                client.send(bytes: [255])
            }
        ),
        (
            "a picture two billion pixels wide",
            { client in
                _ = try client.openSession()
                var bytes = ClientMessage.format(session: 1, number: 0, format: try HostileClient.yuvFormat()).encoded
                bytes.replaceSubrange(11..<15, with: [0xFF, 0xFF, 0xFF, 0x7F])
                client.send(bytes: bytes)
            }
        ),
        (
            "a Boolean with the value 2",
            { client in
                _ = try client.openSession()
                let state = PlaybackState(isPaused: true, position: 0, duration: 0)
                var bytes = ClientMessage.playback(session: 1, state).encoded
                bytes[5] = 2
                client.send(bytes: bytes)
            }
        ),
        (
            "the largest format number",
            { client in
                _ = try client.openSession()
                client.send(.format(session: 1, number: .max, format: try HostileClient.yuvFormat()))
            }
        ),
    ]

    /// Clients that send invalid file descriptors or shared memory.
    private static let invalidMemoryAttacks: [Attack] = [
        (
            "a descriptor with hello",
            { client in
                let event = try EventDescriptor()
                client.send(
                    bytes: ClientMessage.hello(newest: 1, oldest: 1, program: "hostile").encoded,
                    descriptors: [event.raw])
            }
        ),
        (
            "a session with two descriptors",
            { client in
                let rings = try HostileClient.Rings()
                client.sendHello()
                client.send(
                    .openSession(session: 1, surface: .headless), descriptors: Array(rings.descriptors.prefix(2)))
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "a ring without a seal",
            { client in
                let rings = try HostileClient.Rings(),
                    ring = SharedDescriptor(try HostileClient.unsealedMemory(size: SharedRing.byteCount))
                client.sendHello()
                client.send(
                    .openSession(session: 1, surface: .headless),
                    descriptors: [ring.raw] + rings.descriptors.dropFirst())
                withExtendedLifetime((rings, ring)) {}
            }
        ),
        (
            "a ring that is too small",
            { client in
                let rings = try HostileClient.Rings(size: 64)
                client.sendHello()
                client.send(.openSession(session: 1, surface: .headless), descriptors: rings.descriptors)
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "event descriptors in place of rings",
            { client in
                let event = try EventDescriptor()
                client.sendHello()
                client.send(
                    .openSession(session: 1, surface: .headless), descriptors: [Int32](repeating: event.raw, count: 3))
            }
        ),
        (
            "an overlay without its memory",
            { client in
                _ = try client.openSession()
                client.send(.overlay(session: 1, shape: try HostileClient.overlayShape()))
            }
        ),
        (
            "an overlay larger than its memory",
            { client in
                let rings = try client.openSession(), memory = try MemoryFile(name: "hostile", size: 64)
                client.send(
                    .overlay(session: 1, shape: try HostileClient.overlayShape()), descriptors: [memory.descriptor.raw])
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "an overlay without a seal",
            { client in
                let rings = try client.openSession()
                let memory = SharedDescriptor(try HostileClient.unsealedMemory(size: 1 << 20))
                client.send(.overlay(session: 1, shape: try HostileClient.overlayShape()), descriptors: [memory.raw])
                withExtendedLifetime((rings, memory)) {}
            }
        ),
        (
            "an overlay with a rectangle outside its bounds",
            { client in
                let rings = try client.openSession(), memory = try MemoryFile(name: "hostile", size: 1 << 20)
                var bytes = ClientMessage.overlay(session: 1, shape: try HostileClient.overlayShape()).encoded
                // In the message, byte 14 is the first byte of the x coordinate of the rectangle. Before it are the
                // kind of the message, the session, the size and the number of rectangles.
                bytes[14] = 0xFF
                client.send(bytes: bytes, descriptors: [memory.descriptor.raw])
                withExtendedLifetime(rings) {}
            }
        ),
        ("a ring with a count far beyond its capacity", { try $0.openSession().writeFrameCount(1 << 40) }),
        (
            "a ring whose count wraps below 0",
            { client in
                let rings = try client.openSession()
                rings.writeFrameCount(.max)
            }
        ),
        (
            "a slot without memory",
            { client in
                _ = try client.openSession()
                client.send(.addSlot(session: 1, slot: 0))
            }
        ),
        (
            "a slot without a seal",
            { client in
                _ = try client.openSession()
                let memory = SharedDescriptor(try HostileClient.unsealedMemory(size: 1 << 20))
                client.send(.addSlot(session: 1, slot: 0), descriptors: [memory.raw])
                withExtendedLifetime(memory) {}
            }
        ),
        (
            "4000 slots",
            { client in
                _ = try client.openSession()
                let memory = try MemoryFile(name: "hostile", size: 4096)
                for slot in 0..<4000 {
                    client.send(.addSlot(session: 1, slot: UInt32(slot)), descriptors: [memory.descriptor.raw])
                }
            }
        ),
        (
            "a terminal without its memory",
            { client in
                let rings = try HostileClient.Rings(), event = try EventDescriptor(),
                    surface = TerminalFeatures(colours: .direct, hasOnlyHalfBlocks: false)
                client.sendHello()
                client.send(
                    .openSession(session: 1, surface: .terminal(surface)),
                    descriptors: rings.descriptors + [event.raw, event.raw])
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "a terminal session without a terminal, then an invalid message",
            { client in
                let rings = try HostileClient.Rings(), memory = try MemoryFile(name: "hostile", size: 64)
                client.sendHello()
                client.send(
                    .openSession(
                        session: 1, surface: .terminal(TerminalFeatures(colours: .palette, hasOnlyHalfBlocks: false))),
                    descriptors: rings.descriptors + [memory.descriptor.raw, memory.descriptor.raw])
                client.send(.terminalCellsChanged(session: 1))
                client.send(bytes: [255])
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "40 sessions",
            { client in
                let rings = try client.openSession()
                for session in 2...40 {
                    client.send(
                        .openSession(session: UInt32(session), surface: .headless), descriptors: rings.descriptors)
                }
            }
        ),
    ]
}
