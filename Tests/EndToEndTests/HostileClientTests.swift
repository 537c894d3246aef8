import CompositorProtocol
import SharedFrames
import SystemCalls
import TestSupport
import Testing

/// Programs that break the compositor's protocol are cut off, and nobody else notices.
@Suite("Hostile clients of the compositor")
struct HostileClientTests {
    private typealias Attack = (name: String, run: @Sendable (HostileClient) throws -> Void)

    @Test("broken messages, descriptors and rings: cut off, while a film in Picture-in-Picture loses no frame")
    func besideAFilm() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4", options: ["--pip"])
            let compositor = try player.compositor(), eyes = try ScreenRecorder([.pictureInPicture])
            let start = try eyes.wait { ($0.frame ?? 0) >= 10 }
            try player.directory.waitUntilRouteIsKnown()
            let before = ProcessMaps.descriptors(of: compositor)
            for attack in Self.words + Self.memory {
                let client = try HostileClient(directory: player.directory)
                try attack.run(client)
                #expect(client.isCutOff(), "\(attack.name)")
            }
            let now = try #require(eyes.recording.frames().last?.frame)
            try eyes.wait { ($0.frame ?? 0) > now + 10 }
            let seen = eyes.finish().between(start.time, .max)
            let dropped = try player.ipc.property("frame-drop-count")
            // A busy machine may make the player drop a few frames, and then it says so; all others are seen.
            #expect(
                seen.missed.count <= Int(min(dropped.number ?? 0, 10)),
                "missed \(seen.missed); the player dropped \(dropped)")
            #expect(try player.compositor() == compositor)
            #expect(
                Deadline.poll(for: .seconds(5)) { ProcessMaps.descriptors(of: compositor) == before ? true : nil }
                    == true)
            try player.quit()
        }
    }

    @Test("frames that name what is not there, with the window granted: cut off, and the next program gets the window")
    func frames() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let compositor = try player.compositor()
            for (name, slot, format) in [
                ("unknown slot", 9, 0), ("unknown format", 0, 9), ("layout beyond the slot", 0, 0),
            ] {
                let client = try HostileClient(directory: player.directory), rings = try client.open()
                let memory = try MemoryFile(name: "hostile", size: 4096)
                client.send(.slot(session: 1, slot: 0), descriptors: [memory.descriptor.raw])
                client.send(.format(session: 1, number: 0, format: try HostileClient.format()))
                client.send(.requestStart(session: 1))
                try client.wait(for: .granted(session: 1))
                client.send(.start(session: 1))
                rings.push(slot: UInt32(slot), format: UInt32(format))
                #expect(client.isCutOff(), "\(name)")
            }
            try player.enterPictureInPicture()
            let watcher = try ScreenWatcher()
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 10 }
            #expect(try player.compositor() == compositor)
            try player.quit()
        }
    }

    /// What can be said wrongly.
    private static let words: [Attack] = [
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
        ("a version that nobody speaks", { $0.send(.hello(current: 0, oldest: 0, program: "hostile")) }),
        ("a message too long", { $0.send(bytes: [UInt8](repeating: 1, count: 10_000)) }),
        (
            "a message with more behind it",
            { client in
                client.hello()
                client.send(bytes: ClientMessage.stop(session: 1).encoded + [0])
            }
        ),
        (
            "a session that was not opened, then nonsense",
            { client in
                client.hello()
                client.send(.start(session: 7))
                client.send(bytes: [255])
            }
        ),
        (
            "a start that was not granted, then nonsense",
            { client in
                _ = try client.open()
                client.send(.start(session: 1))
                client.send(bytes: [255])
            }
        ),
        (
            "a picture of two milliards of columns",
            { client in
                _ = try client.open()
                var bytes = ClientMessage.format(session: 1, number: 0, format: try HostileClient.format()).encoded
                bytes.replaceSubrange(11..<15, with: [0xFF, 0xFF, 0xFF, 0x7F])
                client.send(bytes: bytes)
            }
        ),
        (
            "a truth value of 2",
            { client in
                _ = try client.open()
                let facts = PlaybackFacts(isPaused: true, position: 0, duration: 0)
                var bytes = ClientMessage.playback(session: 1, facts).encoded
                bytes[5] = 2
                client.send(bytes: bytes)
            }
        ),
        (
            "a format's number without end",
            { client in
                _ = try client.open()
                client.send(.format(session: 1, number: .max, format: try HostileClient.format()))
            }
        ),
    ]

    /// What can be wrong with descriptors and memory.
    private static let memory: [Attack] = [
        (
            "a descriptor with hello",
            { client in
                let event = try EventDescriptor()
                client.send(
                    bytes: ClientMessage.hello(current: 1, oldest: 1, program: "hostile").encoded,
                    descriptors: [event.raw])
            }
        ),
        (
            "a session with two descriptors",
            { client in
                let rings = try HostileClient.Rings()
                client.hello()
                client.send(
                    .openSession(session: 1, surface: .headless), descriptors: Array(rings.descriptors.prefix(2)))
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "a ring without a seal",
            { client in
                let rings = try HostileClient.Rings(),
                    ring = SharedDescriptor(try HostileClient.unsealed(size: DescriptorRing.byteCount))
                client.hello()
                client.send(
                    .openSession(session: 1, surface: .headless),
                    descriptors: [ring.raw] + rings.descriptors.dropFirst())
                withExtendedLifetime((rings, ring)) {}
            }
        ),
        (
            "a ring too small",
            { client in
                let rings = try HostileClient.Rings(size: 64)
                client.hello()
                client.send(.openSession(session: 1, surface: .headless), descriptors: rings.descriptors)
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "events for rings",
            { client in
                let event = try EventDescriptor()
                client.hello()
                client.send(
                    .openSession(session: 1, surface: .headless), descriptors: [Int32](repeating: event.raw, count: 3))
            }
        ),
        (
            "an overlay without its memory",
            { client in
                _ = try client.open()
                client.send(.overlay(session: 1, shape: try HostileClient.overlay()))
            }
        ),
        (
            "an overlay larger than its memory",
            { client in
                let rings = try client.open(), memory = try MemoryFile(name: "hostile", size: 64)
                client.send(
                    .overlay(session: 1, shape: try HostileClient.overlay()), descriptors: [memory.descriptor.raw])
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "an overlay without a seal",
            { client in
                let rings = try client.open(), memory = SharedDescriptor(try HostileClient.unsealed(size: 1 << 20))
                client.send(.overlay(session: 1, shape: try HostileClient.overlay()), descriptors: [memory.raw])
                withExtendedLifetime((rings, memory)) {}
            }
        ),
        (
            "an overlay with a box outside",
            { client in
                let rings = try client.open(), memory = try MemoryFile(name: "hostile", size: 1 << 20)
                var bytes = ClientMessage.overlay(session: 1, shape: try HostileClient.overlay()).encoded
                // After kind, session, size and count: the box's place.
                bytes[14] = 0xFF
                client.send(bytes: bytes, descriptors: [memory.descriptor.raw])
                withExtendedLifetime(rings) {}
            }
        ),
        ("a ring whose count runs away", { try $0.open().claim(1 << 40) }),
        (
            "a ring whose count runs backwards",
            { client in
                let rings = try client.open()
                rings.claim(.max)
            }
        ),
        (
            "a slot without memory",
            { client in
                _ = try client.open()
                client.send(.slot(session: 1, slot: 0))
            }
        ),
        (
            "a slot without a seal",
            { client in
                _ = try client.open()
                let memory = SharedDescriptor(try HostileClient.unsealed(size: 1 << 20))
                client.send(.slot(session: 1, slot: 0), descriptors: [memory.raw])
                withExtendedLifetime(memory) {}
            }
        ),
        (
            "thousands of slots",
            { client in
                _ = try client.open()
                let memory = try MemoryFile(name: "hostile", size: 4096)
                for slot in 0..<4000 {
                    client.send(.slot(session: 1, slot: UInt32(slot)), descriptors: [memory.descriptor.raw])
                }
            }
        ),
        (
            "a terminal without its memory",
            { client in
                let rings = try HostileClient.Rings(), event = try EventDescriptor(),
                    surface = TerminalKind(colours: .direct, halvesOnly: false)
                client.hello()
                client.send(
                    .openSession(session: 1, surface: .terminal(surface)),
                    descriptors: rings.descriptors + [event.raw, event.raw])
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "a terminal that is none, then nonsense",
            { client in
                let rings = try HostileClient.Rings(), memory = try MemoryFile(name: "hostile", size: 64)
                client.hello()
                client.send(
                    .openSession(session: 1, surface: .terminal(TerminalKind(colours: .palette, halvesOnly: false))),
                    descriptors: rings.descriptors + [memory.descriptor.raw, memory.descriptor.raw])
                client.send(.placeChanged(session: 1))
                client.send(bytes: [255])
                withExtendedLifetime(rings) {}
            }
        ),
        (
            "dozens of sessions",
            { client in
                let rings = try client.open()
                for session in 2...40 {
                    client.send(
                        .openSession(session: UInt32(session), surface: .headless), descriptors: rings.descriptors)
                }
            }
        ),
    ]
}
