import AudioPolicy

/// The audio route, derived from the connected devices and the user's choice.
///
/// A newly connected device becomes the route; after its removal the previous device becomes the route again. An HDMI
/// device becomes the route automatically only if no other device exists, because a screen is usually connected for its
/// picture. The tracker does not resume playback when a device returns: its clients decide.
package struct RouteTracker: Sendable, Equatable {
    /// An event that may change the route.
    package enum Event: Sendable, Equatable {
        /// A card was connected.
        case cardAdded(AudioCardInfo)
        /// A card was removed, identified by ALSA's name of its control.
        case cardRemoved(control: String)
        /// A plug was inserted into or removed from a jack of a card.
        case jack(control: String, name: String, isPlugged: Bool)
        /// The machine woke from sleep.
        case wokeUp
        /// Another component reports that a sound server moved audio between its own devices. `isLoss`: whether the
        /// previous device was lost, instead of a new device connected. `name`: the server's current device; nil if
        /// it is not known.
        case movedByServer(isLoss: Bool, name: String?)
        /// The user selected another of the sound server's devices: no device was lost.
        case chosenAtServer(name: String)
    }

    /// A possible route: a card, or one of its jacks.
    private struct Output: Sendable, Equatable {
        /// ALSA's name of the card's control.
        let control: String
        /// The name of the jack; nil for the card itself.
        let jack: String?
        /// The route through this output.
        var route: AudioRoute
        /// Whether the output becomes the route as soon as it is connected, without a choice by the user.
        var isAutomaticRoute: Bool
    }

    /// The connected cards.
    private var cards: [AudioCardInfo] = []
    /// The outputs, in the order in which they were added.
    private var outputs: [Output] = []

    /// Creates a tracker with the cards that already exist, the default card first.
    package init(cards: [AudioCardInfo] = []) {
        for card in cards { add(card, isNew: false) }
    }

    /// The current route: the newest output that becomes the route automatically, else the first output that is not
    /// HDMI, else the first output; nil if no output exists.
    package var currentRoute: AudioRoute? {
        (outputs.last { $0.isAutomaticRoute } ?? outputs.first { $0.route.port != .hdmi } ?? outputs.first)?.route
    }

    /// Updates the route after an event.
    ///
    /// - Returns: The change to publish; nil if the route has not changed.
    package mutating func handle(_ event: Event) -> RouteChange? {
        let previousRoute = currentRoute
        switch event {
        case .cardAdded(let card):
            guard !cards.contains(where: { $0.control == card.control }) else { return nil }
            add(card, isNew: true)
            return change(.newDeviceAvailable, from: previousRoute)
        case .cardRemoved(let control):
            cards.removeAll { $0.control == control }
            outputs.removeAll { $0.control == control }
            return changeAfterRemoval(from: previousRoute)
        case .jack(let control, let name, let isPlugged):
            guard let index = cards.firstIndex(where: { $0.control == control }) else { return nil }
            var jack = cards[index].jacks.first { $0.name == name } ?? AudioCardInfo.Jack(name, isPlugged: !isPlugged)
            // Ignore a report without a change: drivers may report the same state repeatedly.
            guard jack.isPlugged != isPlugged else { return nil }
            jack.isPlugged = isPlugged
            cards[index].jacks.removeAll { $0.name == name }
            cards[index].jacks.append(jack)
            outputs.removeAll { $0.control == control && $0.jack == name }
            guard isPlugged else { return changeAfterRemoval(from: previousRoute) }
            addOutput(jack, of: cards[index], isAutomaticRoute: jack.port != .hdmi)
            return change(.newDeviceAvailable, from: previousRoute)
        case .wokeUp: return previousRoute.map { RouteChange(.wakeFromSleep, from: $0, to: $0) }
        case .chosenAtServer(let name):
            renameServer(name)
            return RouteChange(.override, from: previousRoute, to: currentRoute)
        case .movedByServer(let isLoss, let name):
            renameServer(name)
            // Publish the change even if this tracker detects none: only the reporting component knows the server's
            // devices.
            return RouteChange(
                isLoss ? .oldDeviceUnavailable : .newDeviceAvailable, from: previousRoute, to: currentRoute)
        }
    }

    /// Changes the name of the sound server's route; nil restores the server's own name.
    private mutating func renameServer(_ name: String?) {
        for (index, output) in outputs.enumerated() where output.route.port == .soundServer {
            guard let name = name ?? cards.first(where: { $0.control == output.control })?.name else { continue }
            outputs[index].route = AudioRoute(device: output.route.device, port: .soundServer, name: name)
        }
    }

    /// Adds a card with its plugged jacks. `isNew` is false for cards that were connected before the tracker was
    /// created.
    private mutating func add(_ card: AudioCardInfo, isNew: Bool) {
        cards.append(card)
        if let unpluggedRoute = card.unpluggedRoute {
            outputs.append(
                Output(
                    control: card.control, jack: nil, route: unpluggedRoute,
                    isAutomaticRoute: isNew && unpluggedRoute.port != .speaker))
        }
        // Initially the route is the default card with its connected jacks. Behind a sound server, the first card
        // counts as the default card.
        let isFirst = cards.dropLast().allSatisfy { $0.bus == .server }
        for jack in card.jacks where jack.isPlugged {
            addOutput(jack, of: card, isAutomaticRoute: jack.port != .hdmi && (isNew || isFirst))
        }
    }

    /// Adds the output of a jack; ignores jacks that are not outputs.
    private mutating func addOutput(_ jack: AudioCardInfo.Jack, of card: AudioCardInfo, isAutomaticRoute: Bool) {
        guard let route = card.route(jack) else { return }
        outputs.append(Output(control: card.control, jack: jack.name, route: route, isAutomaticRoute: isAutomaticRoute))
    }

    /// Returns the change from the route `previousRoute` to the current route; nil if they are equal.
    private func change(_ reason: RouteChange.Reason, from previousRoute: AudioRoute?) -> RouteChange? {
        previousRoute == currentRoute ? nil : RouteChange(reason, from: previousRoute, to: currentRoute)
    }

    /// Returns the change from the route `previousRoute` after an output was removed; nil if the route stays the same.
    private func changeAfterRemoval(from previousRoute: AudioRoute?) -> RouteChange? {
        change(currentRoute == nil ? .noSuitableRouteForCategory : .oldDeviceUnavailable, from: previousRoute)
    }
}
