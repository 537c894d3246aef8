import AudioPolicy

/// Where sound is heard, by what is plugged in and what the user wants: a pure value.
///
/// What is plugged in takes the sound over, the newest first, and gives it back to the one before when it goes. Only
/// HDMI waits to be chosen: a screen is plugged in for its picture. Nothing that comes back plays by itself: that is
/// for those who hear of it.
package struct RouteTracker: Sendable, Equatable {
    package enum Input: Sendable, Equatable {
        case cardAdded(SoundCard)
        case cardRemoved(control: String)
        case jack(control: String, name: String, isPlugged: Bool)
        case wokeUp
        /// A sound server moves sound between devices of its own, and only somebody else knows of it. `name`: where it
        /// is heard now.
        case movedByServer(isLoss: Bool, name: String?)
        /// The user chose another of the sound server's devices: nothing was lost.
        case chosenAtServer(name: String)
    }

    private struct Output: Sendable, Equatable {
        let control: String
        /// nil: the card itself.
        let jack: String?
        var route: AudioRoute
        /// Takes the sound over by itself.
        var isEager: Bool
    }

    private var cards: [SoundCard] = []
    /// In the order in which they came.
    private var outputs: [Output] = []

    /// What there is at the beginning, the default card first.
    package init(cards: [SoundCard] = []) {
        for card in cards { add(card, isNew: false) }
    }

    package var current: AudioRoute? {
        (outputs.last { $0.isEager } ?? outputs.first { $0.route.port != .hdmi } ?? outputs.first)?.route
    }

    /// Takes in what happened.
    ///
    /// - Returns: the change that is to be told; nil where nothing is heard elsewhere.
    package mutating func handle(_ input: Input) -> RouteChange? {
        let before = current
        switch input {
        case .cardAdded(let card):
            guard !cards.contains(where: { $0.control == card.control }) else { return nil }
            add(card, isNew: true)
            return change(.newDeviceAvailable, from: before)
        case .cardRemoved(let control):
            cards.removeAll { $0.control == control }
            outputs.removeAll { $0.control == control }
            return loss(from: before)
        case .jack(let control, let name, let isPlugged):
            guard let index = cards.firstIndex(where: { $0.control == control }) else { return nil }
            var jack = cards[index].jacks.first { $0.name == name } ?? SoundCard.Jack(name, isPlugged: !isPlugged)
            // Drivers tell more than once.
            guard jack.isPlugged != isPlugged else { return nil }
            jack.isPlugged = isPlugged
            cards[index].jacks.removeAll { $0.name == name }
            cards[index].jacks.append(jack)
            outputs.removeAll { $0.control == control && $0.jack == name }
            guard isPlugged else { return loss(from: before) }
            plug(jack, of: cards[index], isEager: jack.port != .hdmi)
            return change(.newDeviceAvailable, from: before)
        case .wokeUp: return before.map { RouteChange(.wakeFromSleep, from: $0, to: $0) }
        case .chosenAtServer(let name):
            renameServer(name)
            return RouteChange(.override, from: before, to: current)
        case .movedByServer(let isLoss, let name):
            renameServer(name)
            // Told even where nothing of it can be seen from here: who says so knows.
            return RouteChange(isLoss ? .oldDeviceUnavailable : .newDeviceAvailable, from: before, to: current)
        }
    }

    private mutating func renameServer(_ name: String?) {
        for (index, output) in outputs.enumerated() where output.route.port == .server {
            guard let name = name ?? cards.first(where: { $0.control == output.control })?.name else { continue }
            outputs[index].route = AudioRoute(device: output.route.device, port: .server, name: name)
        }
    }

    private mutating func add(_ card: SoundCard, isNew: Bool) {
        cards.append(card)
        if let base = card.base {
            outputs.append(
                Output(control: card.control, jack: nil, route: base, isEager: isNew && base.port != .speaker))
        }
        // At the beginning the default card is heard, through what is plugged into it; of a server's cards the first is
        // taken for that one.
        let isFirst = cards.dropLast().allSatisfy { $0.bus == .server }
        for jack in card.jacks where jack.isPlugged {
            plug(jack, of: card, isEager: jack.port != .hdmi && (isNew || isFirst))
        }
    }

    private mutating func plug(_ jack: SoundCard.Jack, of card: SoundCard, isEager: Bool) {
        guard let route = card.route(jack) else { return }
        outputs.append(Output(control: card.control, jack: jack.name, route: route, isEager: isEager))
    }

    private func change(_ reason: RouteChange.Reason, from before: AudioRoute?) -> RouteChange? {
        before == current ? nil : RouteChange(reason, from: before, to: current)
    }

    private func loss(from before: AudioRoute?) -> RouteChange? {
        change(current == nil ? .noSuitableRouteForCategory : .oldDeviceUnavailable, from: before)
    }
}
