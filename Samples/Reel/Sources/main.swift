import Dispatch
import Glibc
import SwiftPlay

/// Plays files one after another without a window: tells the time, measures each picture, and takes a still of each
/// file before.
@MainActor
final class Reel {
    let player: QueuePlayer
    let output = PlayerItemVideoOutput()
    var observation: Player.Observation?
    var clock: TimeObserver?
    /// All of them, and the one that the output is at.
    let items: [PlayerItem]
    var watched: PlayerItem?

    init(files: [String]) throws {
        player = try QueuePlayer()
        items = files.map { PlayerItem(location: $0) }
        observation = player.observe { [unowned self] in handle($0) }
        clock = player.addPeriodicTimeObserver(forInterval: MediaTime(value: 1, timescale: 2)) { [weak self] time in
            // The main queue is the main actor's.
            MainActor.assumeIsolated { self?.tell(time) }
        }
        for item in items { player.insert(item, after: nil) }
        player.play()
    }

    func tell(_ time: MediaTime) {
        guard let picture = output.copyPixelBuffer(forItemTime: time)?.buffer else { return print("\(time)") }
        // The decoder's own memory, read in place: no copy of the picture is made.
        let mean = picture.withUnsafeBytes(ofPlane: 0) { plane in
            stride(from: 0, to: plane.count, by: 997).reduce((0, 0)) { ($0.0 + Int(plane[$1]), $0.1 + 1) }
        }
        print(
            "\(time): \(picture.width)x\(picture.height) \(picture.pixelFormat), mean of plane 0: \(mean.0 / max(mean.1, 1))"
        )
    }

    func handle(_ notification: Player.Notification) {
        switch notification {
        case .currentItemChanged(let item?):
            print("now: \(item.location)")
            // An output belongs to one item: it moves on with the picture.
            watched?.remove(output)
            item.add(output)
            watched = item
        case .didPlayToEnd(let item) where item === items.last,
            .failedToPlayToEnd(let item, _) where item === items.last:
            for event in item.accessLog()?.events ?? [] { print("watched \(event.durationWatched) s of \(event.uri)") }
            quit()
        case .itemFailed(let item, let error): quit(because: "\(item.location): \(error.message)")
        default: break
        }
    }

    func quit(because reason: String? = nil) {
        if let reason { print("Reel: \(reason)") }
        player.close()
        exit(reason == nil ? 0 : 1)
    }
}

/// A still of each file, from its middle, no larger than 320 pixels.
func takeStills(of files: [String]) async {
    for file in files {
        let generator = ImageGenerator(location: file)
        generator.maximumSize = VideoSize(width: 320, height: 320)
        do {
            let (image, time) = try await generator.image(at: MediaTime(value: 1, timescale: 1))
            print("still of \(file) at \(time): \(image.width)x\(image.height)")
        } catch { print("no still of \(file): \(error)") }
    }
}

let files = Array(CommandLine.arguments.dropFirst())
guard !files.isEmpty else { fatalError("usage: Reel FILE...") }
/// Alive as long as the program.
var reel: Reel?
Task { @MainActor in
    await takeStills(of: files)
    do { reel = try Reel(files: files) } catch { fatalError("\(error)") }
}
dispatchMain()
