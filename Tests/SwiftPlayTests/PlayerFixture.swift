import Dispatch
import SharedFrames
import SystemCalls
import TestSupport

@testable import SwiftPlay

/// The setup of a player test: a player that plays in real time without a window and, by default, without an audio
/// device. The fixture records the events of the player.
final class PlayerFixture: Sendable {
    /// The player that the test uses.
    let player: QueuePlayer
    /// The layer of the player, without an output.
    let layer = PlayerLayer()
    /// The names of the events that the player has reported, in order.
    private let reportedEvents = Monitor<[String]>([])
    /// The presentation times, in nanoseconds, of the frames that the player has shown. Keeping the frames themselves
    /// would exhaust the decoder's frame pool.
    private let recordedFrameTimes = Monitor<[Int64]>([])
    /// The first frame that the player has shown.
    private let recordedFirstFrame = Monitor<VideoFrame?>(nil)
    /// The registration numbers of the player's observers that record events.
    private let observerNumbers = Monitor<[UInt64]>([])

    init(
        _ items: [PlayerItem] = [], audioOutput: Player.AudioOutput = .null,
        configure: (inout Player.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = Player.Configuration()
        configuration.audioOutput = audioOutput
        configure(&configuration)
        player = try QueuePlayer(configuration: configuration)
        layer.player = player
        let observerNumber = player.core.addObserver { [reportedEvents, recordedFrameTimes, recordedFirstFrame] event in
            switch event {
            case .framePresented(let frame):
                recordedFirstFrame.withLock { $0 = $0 ?? frame }
                recordedFrameTimes.update { $0.append(frame.presentationTime) }
            case .settingChanged: break
            default: reportedEvents.update { $0.append(Self.name(event)) }
            }
        }
        observerNumbers.withLock { $0.append(observerNumber) }
        for item in items { player.insert(item, after: nil) }
    }

    convenience init(_ clip: String, _ otherClips: String..., audioOutput: Player.AudioOutput = .null) throws {
        let items = try ([clip] + otherClips).map { PlayerItem(location: try Fixtures.path($0)) }
        try self.init(items, audioOutput: audioOutput)
    }

    deinit { player.close() }

    /// The names of the reported events, in order, such as `itemReady` and `playedToEnd`.
    var events: [String] { reportedEvents.withLock { $0 } }
    /// Returns the number of times that the event named `event` was reported.
    func count(_ event: String) -> Int { events.count { $0 == event } }

    /// The presentation times of the frames shown, in nanoseconds, in order.
    var shownFrameTimes: [Int64] { recordedFrameTimes.withLock { $0 } }
    /// The first frame that the player has shown; nil if it has shown none.
    var firstFrame: VideoFrame? { recordedFirstFrame.withLock { $0 } }
    /// Clears ``shownFrameTimes``.
    func clearShownFrames() { recordedFrameTimes.withLock { $0 = [] } }

    /// Waits until the event named `event` has been reported `times` times.
    func wait(for event: String, times: Int = 1) throws {
        let isReported: Bool? = reportedEvents.wait(until: Deadline.after(.seconds(60))) { names in
            names.count { $0 == event } >= times ? true : nil
        }
        if isReported == nil { throw TestFailure("\(event) was not reported \(times) times; events: \(events)") }
    }

    /// Waits until `count` frames have been shown.
    func waitForFrames(_ count: Int) throws {
        let areShown: Bool? = recordedFrameTimes.wait(until: Deadline.after(.seconds(60))) {
            $0.count >= count ? true : nil
        }
        if areShown == nil {
            throw TestFailure("only \(shownFrameTimes.count) of \(count) frames were shown; events: \(events)")
        }
    }

    /// Returns the name of an event without its values.
    private static func name(_ event: PlayerCore.Event) -> String {
        String("\(event)".prefix { $0 != "(" })
    }
}

/// A counter that closures on any thread increment.
final class Counter: Sendable {
    private let value = Monitor(0)
    /// The present count.
    var count: Int { value.withLock { $0 } }
    /// Increments the count.
    func add() { value.update { $0 += 1 } }

    /// Waits until the count has reached `expectedCount`.
    func wait(for expectedCount: Int) throws {
        let isReached: Bool? = value.wait(until: Deadline.after(.seconds(60))) { $0 >= expectedCount ? true : nil }
        if isReached == nil { throw TestFailure("counted \(count) of \(expectedCount)") }
    }
}

extension Player {
    /// Seeks to the frame at exactly `time`.
    func seekExactly(to time: MediaTime, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
    }

    /// Seeks to the frame at exactly `time`, and returns whether the seek was completed.
    @discardableResult
    func seekExactly(to time: MediaTime) async -> Bool {
        await seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }
}
