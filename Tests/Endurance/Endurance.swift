import Glibc
import SwiftPlay
import SwiftPlayKit
import SystemCalls

/// Opens and closes players one after the other. After every tenth round, prints the round, the resident memory in KB,
/// the number of the library's threads and the number of file descriptors. `scripts/check-leaks` reads the output.
///
/// usage: Endurance FILE ROUNDS null|x11 null|alsa (the last two arguments are the video and the audio output)
@main
struct Endurance {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let rounds = Int(arguments[2]), let kind = PlayerWindow.Kind(rawValue: arguments[3])
        else {
            print("usage: Endurance FILE ROUNDS null|x11 null|alsa")
            exit(64)
        }
        HeapTuning.limitArenas(to: 2)
        // Dispatch opens a descriptor for the first timer. It must not count as growth when this program waits later.
        try await Task.sleep(for: .milliseconds(1))
        var first: (threads: Int, descriptors: Int)?
        for round in 1...rounds {
            try await play(arguments[1], kind, arguments[4] == "alsa" ? .alsa(device: "default") : .null)
            guard round % 10 == 0 || round == rounds else { continue }
            var counts = try resourceCounts(), attempts = 100
            // On a busy machine, a closed player releases the last of its resources a moment later.
            while let first, counts.threads > first.threads || counts.descriptors > first.descriptors, attempts > 0 {
                try await Task.sleep(for: .milliseconds(50))
                counts = try resourceCounts()
                attempts -= 1
            }
            first = first ?? counts
            HeapTuning.trimHeap()
            print("\(round) \(try residentSizeKB()) \(counts.threads) \(counts.descriptors)")
            fflush(nil)
        }
    }

    /// Returns the numbers of the library's threads and of file descriptors.
    private static func resourceCounts() throws -> (threads: Int, descriptors: Int) {
        (try threadCount(), try fileNames("/proc/self/fd").count)
    }

    /// Runs one round: opens a window, plays twelve frames, seeks, and closes the window and the player.
    @MainActor private static func play(_ file: String, _ kind: PlayerWindow.Kind, _ audioOutput: Player.AudioOutput)
        async throws
    {
        var configuration = Player.Configuration()
        configuration.audioOutput = audioOutput
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
        var frameCount = 0
        for await _ in frames {
            frameCount += 1
            if frameCount == 12 { break }
        }
        _ = await player.seek(
            to: MediaTime(nanoseconds: 1_000_000_000), toleranceBefore: .zero, toleranceAfter: .zero)
        window.close()
        player.close()
    }

    /// Returns the resident memory, in KB.
    private static func residentSizeKB() throws -> Int {
        let text = try contents("/proc/self/status")
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }

    /// Returns the first 8 KB of a file as text.
    private static func contents(_ path: String) throws -> String {
        let file = try FileDescriptor(opening: path, flags: O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = try systemCall("read") { read(file.raw, &bytes, bytes.count) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Returns the number of threads that the library has created. The main thread has the name of the process, and
    /// the threads of Dispatch, which come and go, have the names of its queues, such as `root.default-qos`.
    private static func threadCount() throws -> Int {
        let process = try contents("/proc/self/comm")
        return try fileNames("/proc/self/task").count { task in
            // A thread that ends before its name is read does not count.
            (try? contents("/proc/self/task/\(task)/comm")).map { $0 != process && !$0.contains("qos") } ?? false
        }
    }

    /// Returns the names in a directory.
    private static func fileNames(_ path: String) throws -> [String] {
        guard let directory = opendir(path) else { throw SystemCallError(call: "opendir", number: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { !$0.hasPrefix(".") }
    }
}
