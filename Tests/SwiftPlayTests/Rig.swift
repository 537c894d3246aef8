import Dispatch
import SharedFrames
import SystemCalls
import TestSupport

@testable import SwiftPlay

/// A player without a window, and by default without an audio device, that plays in real time. Records its events.
final class Rig: Sendable {
    let player: QueuePlayer
    let layer = PlayerLayer()
    private let reported = Monitor<[String]>([])
    /// The presentation times of the frames shown. The frames themselves would use up the decoder's pool.
    private let shown = Monitor<[Int64]>([])
    private let first = Monitor<VideoFrame?>(nil)
    private let observers = Monitor<[UInt64]>([])

    init(
        _ items: [PlayerItem] = [], sound: Player.AudioOutput = .null,
        configure: (inout Player.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = Player.Configuration()
        configuration.audioOutput = sound
        configure(&configuration)
        player = try QueuePlayer(configuration: configuration)
        layer.player = player
        let number = player.core.addObserver { [reported, shown, first] event in
            switch event {
            case .framePresented(let frame):
                first.withLock { $0 = $0 ?? frame }
                shown.update { $0.append(frame.presentationTime) }
            case .settingChanged: break
            default: reported.update { $0.append(Self.name(event)) }
            }
        }
        observers.withLock { $0.append(number) }
        for item in items { player.insert(item, after: nil) }
    }

    convenience init(_ clip: String, _ more: String..., sound: Player.AudioOutput = .null) throws {
        try self.init(([clip] + more).map { PlayerItem(location: try Fixtures.path($0)) }, sound: sound)
    }

    deinit { player.close() }

    /// The names of the reported events, in order, such as `itemReady` and `playedToEnd`.
    var events: [String] { reported.withLock { $0 } }
    func count(_ name: String) -> Int { events.count { $0 == name } }

    /// The presentation times of the frames shown, in nanoseconds, in order.
    var shownTimes: [Int64] { shown.withLock { $0 } }
    var firstFrame: VideoFrame? { first.withLock { $0 } }
    func forgetFrames() { shown.withLock { $0 = [] } }

    /// Waits until an event has been reported `times` times.
    func wait(for name: String, times: Int = 1) throws {
        let found: Bool? = reported.wait(until: Deadline.after(.seconds(60))) { names in
            names.count { $0 == name } >= times ? true : nil
        }
        if found == nil { throw RigError("\(name) was not reported \(times) times; events: \(events)") }
    }

    /// Waits until `count` frames have been shown.
    func waitForFrames(_ count: Int) throws {
        let found: Bool? = shown.wait(until: Deadline.after(.seconds(60))) { $0.count >= count ? true : nil }
        if found == nil { throw RigError("only \(shownTimes.count) of \(count) frames were shown; events: \(events)") }
    }

    private static func name(_ event: PlayerCore.Event) -> String {
        String("\(event)".prefix { $0 != "(" })
    }
}

/// A counter that closures on any thread increment.
final class Counter: Sendable {
    private let value = Monitor(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.update { $0 += 1 } }

    func wait(for wanted: Int) throws {
        let found: Bool? = value.wait(until: Deadline.after(.seconds(60))) { $0 >= wanted ? true : nil }
        if found == nil { throw RigError("counted \(count) of \(wanted)") }
    }
}

extension Player {
    /// Seeks to the frame at exactly `time`.
    func seekExactly(to time: MediaTime, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
    }

    @discardableResult
    func seekExactly(to time: MediaTime) async -> Bool {
        await seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }
}
