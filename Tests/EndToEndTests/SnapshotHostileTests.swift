import CompositorProtocol
import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests that wrong pictures and crashes neither harm the compositor nor leave half a picture.
@Suite("Pictures of faulty programs")
struct SnapshotHostileTests {
    private func startCompositor(_ fixture: SnapshotFixture) throws -> ChildProcess {
        let compositor = try ChildProcess(Products.path("swiftplay-compositor"), [], runtimeDirectory: fixture.runtime)
        try fixture.runtime.connectToCompositor(compositor)
        return compositor
    }

    /// Connects a program and waits until the compositor requests its picture.
    private func connect(_ identifier: String, _ fixture: SnapshotFixture) throws -> HostileClient {
        let client = try HostileClient(directory: fixture.runtime)
        client.sendHello()
        client.send(.interfaces(.supported))
        client.send(.snapshot(.identifier(identifier)))
        client.send(.snapshot(.completedWork))
        try client.wait(for: .snapshotRequested)
        return client
    }

    /// Sends a picture of random pixels.
    private func send(
        _ client: HostileClient, width: UInt32, height: UInt32, stride: UInt32, memory: borrowing FileDescriptor
    ) {
        client.send(
            .snapshot(.picture(SnapshotShape(width: width, height: height, stride: stride), title: "")),
            descriptors: [memory.raw])
    }

    /// Checks that the compositor still answers a program.
    private func checkIsServed(_ client: HostileClient) throws {
        client.send(.presence(.focused))
        try client.wait(for: .role(.primary))
    }

    @Test("wrong pictures are refused; their programs stay connected, and the next program gets its picture")
    func wrongPicturesAreRefused() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), compositor = try startCompositor(fixture)
            let sealed = try MemoryFile(name: "picture", size: 64 * 64 * 4)
            let unsealed = try HostileClient.unsealedMemory(size: 64 * 64 * 4)
            let shapes: [(UInt32, UInt32, UInt32)] = [
                (1, 100_000, 4), (100_000, 1, 400_000), (0, 0, 0), (.max, .max, .max), (64, 64, 255), (64, 64, 0),
                (64, 65, 256), (512, 512, 2048),
            ]
            for (index, shape) in shapes.enumerated() {
                let client = try connect("wrong \(index)", fixture)
                send(client, width: shape.0, height: shape.1, stride: shape.2, memory: sealed.descriptor)
                try checkIsServed(client)
            }
            let client = try connect("unsealed", fixture)
            send(client, width: 64, height: 64, stride: 256, memory: unsealed)
            try checkIsServed(client)
            let last = try connect("right", fixture)
            send(last, width: 64, height: 64, stride: 256, memory: sealed.descriptor)
            try fixture.wait(for: "right.png")
            #expect(fixture.names == ["right.png"] && compositor.isRunning)
        }
    }

    @Test("a compositor that is killed while it writes leaves the old picture or the new one")
    func aKilledCompositorLeavesAWholePicture() async throws {
        try await TestEnvironment.runExclusively {
            var generator = SeededGenerator.printingSeed()
            let fixture = try SnapshotFixture()
            // Random pixels are not compressed, so that the file has its largest size.
            let memory = try MemoryFile(name: "picture", size: 512 * 512 * 4)
            let mapping = try memory.map(writable: true)
            for round in 0..<8 {
                let compositor = try startCompositor(fixture)
                for offset in stride(from: 0, to: memory.size, by: 8) {
                    mapping.base.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
                }
                let client = try connect("film", fixture)
                send(client, width: 512, height: 512, stride: 2048, memory: memory.descriptor)
                // The first picture is written whole; the later ones are interrupted at any moment.
                if round == 0 { try fixture.wait(for: "film.png") }
                usleep(UInt32.random(in: 0...120_000, using: &generator))
                compositor.signal(SIGKILL)
                _ = try compositor.waitForExit()
                let bytes = [UInt8](FileManager.default.contents(atPath: fixture.path + "/film.png") ?? Data())
                #expect(
                    SnapshotFile.texts(in: bytes)?.identifier == "film" && bytes.suffix(8).starts(with: "IEND".utf8))
            }
            _ = try startCompositor(fixture)
            #expect(fixture.names == ["film.png"], "the next compositor removes what was not finished")
        }
    }
}
