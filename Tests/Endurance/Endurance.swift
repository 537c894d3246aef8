import Glibc
import SwiftPlay
import SwiftPlayKit
import SystemCalls

/// Opens and closes players, one after the other, and says after each tenth what the process holds:
/// `scripts/check-leaks`.
///
/// usage: Endurance FILE ROUNDS null|x11 null|alsa
@main
struct Endurance {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let rounds = Int(arguments[2]), let kind = PlayerWindow.Kind(rawValue: arguments[3])
        else {
            print("usage: Endurance FILE ROUNDS null|x11 null|alsa")
            exit(64)
        }
        ProcessMemory.limitArenas(to: 2)
        for round in 1...rounds {
            try await play(arguments[1], kind, arguments[4] == "alsa" ? .alsa(device: "default") : .null)
            if round % 10 == 0 || round == rounds {
                ProcessMemory.trimHeap()
                print("\(round) \(try resident()) \(try entries("/proc/self/task")) \(try entries("/proc/self/fd"))")
                fflush(nil)
            }
        }
    }

    /// One round: to the picture, twelve frames on, a seek, and away with all of it.
    @MainActor private static func play(_ file: String, _ kind: PlayerWindow.Kind, _ sound: Player.AudioOutput)
        async throws
    {
        var configuration = Player.Configuration()
        configuration.audioOutput = sound
        let player = try Player(configuration: configuration)
        let layer = PlayerLayer(player: player)
        var options = PlayerWindow.Options()
        options.kind = kind
        let window = PlayerWindow(layer: layer, options: options)
        let frames = AsyncStream<Void> { continuation in
            let observation = player.observeFrames { continuation.yield() }
            continuation.onTermination = { _ in withExtendedLifetime(observation) {} }
        }
        try window.open(pictureWidth: 320, pictureHeight: 180)
        player.replaceCurrentItem(with: PlayerItem(location: file))
        player.play()
        var count = 0
        for await _ in frames {
            count += 1
            if count == 12 { break }
        }
        _ = await player.seek(
            to: MediaTime(nanoseconds: 1_000_000_000), toleranceBefore: .zero, toleranceAfter: .zero)
        window.close()
        player.close()
    }

    /// Kilobytes.
    private static func resident() throws -> Int {
        let text = try contents("/proc/self/status")
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }

    private static func contents(_ path: String) throws -> String {
        let file = try FileDescriptor(opening: path, flags: O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = try systemCall("read") { read(file.raw, &bytes, bytes.count) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func entries(_ path: String) throws -> Int {
        guard let directory = opendir(path) else { throw SystemCallError(call: "opendir", number: errno) }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count - 2
    }
}
