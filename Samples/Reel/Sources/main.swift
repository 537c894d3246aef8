import Dispatch
import Glibc
import SwiftPlay

/// Plays files one after another without a window. Prints the playback time and the mean brightness of the pictures.
@MainActor
final class Reel {
    let player: QueuePlayer
    let output = PlayerItemVideoOutput()
    var observation: Player.Observation?
    var timeObserver: TimeObserver?
    /// All items to play, in order.
    let items: [PlayerItem]
    /// The item to which the video output is attached; nil if the output is attached to no item.
    var itemWithOutput: PlayerItem?

    init(files: [String]) throws {
        player = try QueuePlayer()
        items = files.map { PlayerItem(location: $0) }
        observation = player.observe { [unowned self] in handle($0) }
        timeObserver = player.addPeriodicTimeObserver(forInterval: MediaTime(value: 1, timescale: 2)) {
            [weak self] time in
            // The main actor runs on the main queue.
            MainActor.assumeIsolated { self?.printPicture(at: time) }
        }
        for item in items { player.insert(item, after: nil) }
        player.play()
    }

    /// Prints a playback time and, if there is a picture at that time, its size and mean brightness.
    func printPicture(at time: MediaTime) {
        guard let picture = output.copyPixelBuffer(forItemTime: time)?.buffer else { return print("\(time)") }
        // The program reads the decoder's memory in place, without copying the picture.
        let (sum, count) = picture.withUnsafeBytes(ofPlane: 0) { plane in
            stride(from: 0, to: plane.count, by: 997).reduce((0, 0)) { ($0.0 + Int(plane[$1]), $0.1 + 1) }
        }
        print(
            "\(time): \(picture.width)x\(picture.height) \(picture.pixelFormat), "
                + "mean of plane 0: \(sum / max(count, 1))"
        )
    }

    func handle(_ notification: Player.Notification) {
        switch notification {
        case .currentItemChanged(let item?):
            print("now: \(item.location)")
            // A video output belongs to one item, so move it to the new current item.
            itemWithOutput?.remove(output)
            item.add(output)
            itemWithOutput = item
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

/// Creates a still image of each file near the time 1 s, at most 320 pixels wide and high.
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
/// The object that plays the files, in a global variable that lasts as long as the program.
var reel: Reel?
Task { @MainActor in
    await takeStills(of: files)
    do { reel = try Reel(files: files) } catch { fatalError("\(error)") }
}
dispatchMain()
