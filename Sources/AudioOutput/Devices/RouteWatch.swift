import AudioPolicy
import SystemCalls

/// Where sound is heard now, as the cards' controls tell, udev, and those who know of a sound server's devices. Made
/// for a poll loop; one thread.
///
/// Nothing is asked of a sound server: what it moves sound between are cards, and those tell of their jacks by
/// themselves.
package final class RouteWatch {
    private var tracker = RouteTracker()
    private var controls: [ControlWatch] = []
    private let devices: DeviceWatch?
    private var survey: CardSurvey?
    /// What there is has been found out.
    package private(set) var isReady = false

    package init() {
        // Where one of them cannot be had the rest is heard of all the same.
        devices = try? DeviceWatch()
        survey = try? CardSurvey()
        isReady = survey == nil
    }

    package var current: AudioRoute? { tracker.current }

    /// What to poll for ``process(_:)``.
    package var entries: [Poll.Entry] {
        // -1 is passed over. What udev says while the cards are looked for waits until they are known.
        [Poll.Entry(survey.map { $0.done.raw } ?? devices?.descriptor ?? -1)] + controls.flatMap(\.entries)
    }

    /// Takes in what has happened, with what polling ``entries`` said. Never waits.
    package func process(_ polled: ArraySlice<Poll.Entry>) -> [RouteChange] {
        var changes: [RouteChange] = [], rest = polled.dropFirst()
        for watch in controls {
            let mine = rest.prefix(watch.entries.count)
            rest = rest.dropFirst(mine.count)
            guard mine.contains(where: { $0.ready != [] }) else { continue }
            for event in watch.events(mine) { changes += take(event, of: watch) }
        }
        controls.removeAll(where: \.isGone)
        guard polled.first.map({ $0.ready != [] }) == true else { return changes }
        if let survey {
            survey.take().map(begin)
        } else {
            for event in devices?.events() ?? [] { changes += take(event) }
        }
        return changes
    }

    private func begin(_ found: CardSurvey.Outcome) {
        survey = nil
        controls = found.controls
        let server = found.server.map { SoundCard(control: "default", name: $0, bus: .server, isDefault: true) }
        tracker = RouteTracker(cards: (server.map { [$0] } ?? []) + controls.map(card))
        isReady = true
    }

    private func card(_ watch: ControlWatch) -> SoundCard {
        let isKernels = watch.control.hasPrefix("hw:")
        let bus = isKernels ? watch.card.flatMap { devices?.bus(ofCard: $0) } : nil
        return SoundCard(
            control: watch.control, name: watch.cardName, bus: bus ?? .internalBus,
            isDefault: watch.control == "default", jacks: watch.jacks)
    }

    private func take(_ event: ControlWatch.Event, of watch: ControlWatch) -> [RouteChange] {
        switch event {
        case .jack(let name, let isPlugged): told(.jack(control: watch.control, name: name, isPlugged: isPlugged))
        case .changed: []
        case .gone: told(.cardRemoved(control: watch.control))
        }
    }

    private func take(_ event: DeviceWatch.Event) -> [RouteChange] {
        switch event {
        case .added(let number):
            guard !controls.contains(where: { $0.card == number && !$0.isGone }),
                let watch = try? ControlWatch("hw:\(number)")
            else { return [] }
            controls.append(watch)
            return told(.cardAdded(card(watch)))
        case .removed(let number):
            let gone = controls.filter { $0.card == number }
            controls.removeAll { $0.card == number }
            return gone.flatMap { told(.cardRemoved(control: $0.control)) }
        }
    }

    /// Takes in what somebody else saw, or wants.
    package func told(_ input: RouteTracker.Input) -> [RouteChange] { tracker.handle(input).map { [$0] } ?? [] }
}
