import DesktopBus
import Logging
import SystemCalls

/// The connection to the session bus that carries out the decisions of ``ExternalPlayers``. Polled by the compositor's
/// event loop; never waits.
///
/// The connection exists while external players must be silent and for ``connectionLingerTime`` after that, so that an
/// idle compositor does not wake up for signals of other players.
package final class ExternalPlayersBus {
    /// The prefix of the bus names of all MPRIS players.
    private static let busNamePrefix = "org.mpris.MediaPlayer2."
    /// The object path that MPRIS prescribes.
    private static let objectPath = "/org/mpris/MediaPlayer2"
    /// The D-Bus interface that MPRIS prescribes for playback.
    private static let playerInterface = "org.mpris.MediaPlayer2.Player"
    /// Names of players that are never paused: SwiftPlay programs, which the compositor notifies itself; playerctld, a
    /// proxy of the player that was used last; and KDE Connect, which stands for players on other devices.
    private static let exemptNames = ["swiftplay", "playerctld", "kdeconnect"]
    /// Nanoseconds for which the connection stays open after external players may play again: resumed players confirm
    /// the method call `Play`, and players may soon have to be paused again.
    private static let connectionLingerTime = 5 * MonotonicTime.nanosecondsPerSecond

    /// Decides which external players are paused and resumed.
    private var players = ExternalPlayers()
    /// The connection to the session bus; `nil` while it is closed.
    private var busLink: BusLink?
    /// The host time at which the connection closes; `nil` while external players must be silent.
    private var disconnectTime: Int64?
    /// Returns the address of the session bus.
    private let address: () -> String?
    private let logger: Logger
    /// Whether the user's settings allow pausing external players. Switching this off resumes all paused players.
    package var isEnabled = true { didSet { if isEnabled != oldValue { applySilence() } } }
    /// The state of external players that the audio sessions request, even if the user's settings do not allow pausing
    /// players.
    private var requestedSilence = ExternalPlayers.Silence.released(notify: false)

    /// A connection to the session bus and the state that ends with it.
    private struct BusLink {
        let connection: BusConnection
        /// The subscriptions to signals of the bus and of players.
        var signalRegistrations: [BusSlot]
        /// The unique bus names of players' connections, by the players' well-known names.
        var owners: [String: ExternalPlayers.ID] = [:]
    }

    /// Creates the service without a connection.
    ///
    /// - Parameters:
    ///   - logger: The destination of log messages.
    ///   - address: Returns the address of the session bus; called on the main thread before each connection.
    package init(logger: Logger, address: @escaping () -> String? = { BusAddress.session }) {
        self.logger = logger
        self.address = address
    }

    /// Sets whether external players must be silent (paused). Setting the same value again has no effect.
    package func setSilence(_ silence: ExternalPlayers.Silence) {
        requestedSilence = silence
        applySilence()
    }

    /// Pauses or resumes external players as the audio sessions request, if the user's settings allow pausing them.
    private func applySilence() {
        if isEnabled {
            apply(requestedSilence)
        } else {
            apply(.released(notify: true))
        }
    }

    /// Makes external players silent, or lets them play again; connects to the session bus first if necessary.
    private func apply(_ silence: ExternalPlayers.Silence) {
        switch silence {
        case .requested:
            disconnectTime = nil
            if busLink == nil { connect() }
        case .released:
            if busLink != nil, disconnectTime == nil { disconnectTime = MonotonicTime.now + Self.connectionLingerTime }
        }
        handle(.silence(silence))
    }

    // MARK: Polling

    /// The descriptor to poll; -1, which polling ignores, without a connection.
    package var descriptor: Int32 { busLink?.connection.descriptor ?? -1 }
    /// The events to poll for.
    package var events: Poll.Events { busLink?.connection.events ?? [] }
    /// The host time at which ``process(now:)`` must be called if no event arrives before; `nil` if there is no such
    /// time.
    package var deadline: Int64? { [busLink?.connection.deadline, disconnectTime].compactMap { $0 }.min() }

    /// Handles messages of the bus, and disconnects when the connection is no longer needed.
    package func process(now: Int64) {
        guard let connection = busLink?.connection else { return }
        do throws(BusError) {
            try connection.process()
        } catch {
            logger.info("the connection to the session bus was lost: \(error)")
            return disconnect()
        }
        if let disconnectTime, now >= disconnectTime { disconnect() }
    }

    /// Closes the connection to the bus.
    private func disconnect() {
        busLink = nil
        disconnectTime = nil
        handle(.busDisconnected)
    }

    // MARK: Session bus

    /// Connects to the bus, subscribes to players' signals and lists the existing players.
    private func connect() {
        do throws(BusError) {
            let connection = try BusConnection(address: address())
            let ownerChanges = try connection.watchOwners(of: "org.mpris.MediaPlayer2", isNamespace: true) {
                [weak self] in self?.handleNameChange($0, to: $1)
            }
            let statusChanges = try connection.watch(
                "type='signal',path='\(Self.objectPath)',interface='org.freedesktop.DBus.Properties',"
                    + "member='PropertiesChanged',arg0='\(Self.playerInterface)'"
            ) { [weak self] signal in
                guard signal.arguments.count > 1,
                    let status = Self.status(signal.arguments[1].dictionary?["PlaybackStatus"])
                else { return }
                self?.handle(.status(signal.sender, status))
            }
            busLink = BusLink(connection: connection, signalRegistrations: [ownerChanges, statusChanges])
            try connection.call(.init(bus: "ListNames")) { [weak self] result in
                let names = (try? result.get())?.first?.elements?.compactMap(\.text) ?? []
                for name in names where Self.isExternalPlayer(name) { self?.findOwner(of: name) }
            }
        } catch {
            busLink = nil
            logger.debug("cannot pause other players without the session bus: \(error)")
        }
    }

    /// Returns whether a bus name belongs to a player that may be paused.
    static func isExternalPlayer(_ name: String) -> Bool {
        guard name.hasPrefix(busNamePrefix) else { return false }
        let playerName = name.dropFirst(busNamePrefix.count)
        // Every name that begins with `swiftplay`, such as `swiftplay.instance42`, is a SwiftPlay program.
        return !playerName.hasPrefix(exemptNames[0])
            && !exemptNames.contains { playerName == $0 || playerName.hasPrefix($0 + ".") }
    }

    /// Requests the unique bus name that owns a player's well-known name.
    private func findOwner(of name: String) {
        call(.init(bus: "GetNameOwner", [.string(name)])) { [weak self] result in
            guard let self, let owner = (try? result.get())?.first?.text, busLink?.owners[name] == nil else { return }
            add(name, owner, .playerFound(owner))
        }
    }

    /// Handles the bus signal that a player's name has a new owner; an empty `owner` means that no connection owns the
    /// name any more.
    private func handleNameChange(_ name: String, to owner: String) {
        guard Self.isExternalPlayer(name), busLink != nil else { return }
        if let previousOwner = busLink?.owners.removeValue(forKey: name),
            busLink?.owners.values.contains(previousOwner) == false
        {
            handle(.playerDisconnected(previousOwner))
        }
        if !owner.isEmpty { add(name, owner, .playerConnected(owner)) }
    }

    /// Adds a player and requests its status.
    private func add(_ name: String, _ owner: ExternalPlayers.ID, _ input: ExternalPlayers.Input) {
        guard let busLink, busLink.owners.count < ExternalPlayers.playerLimit else { return }
        let isKnown = busLink.owners.values.contains(owner)
        self.busLink?.owners[name] = owner
        guard !isKnown else { return }
        handle(input)
        do throws(BusError) {
            try busLink.connection.property(
                "PlaybackStatus", of: Self.playerInterface, at: Self.objectPath, from: owner
            ) { [weak self] result in
                if let status = Self.status(try? result.get()) {
                    self?.handle(.status(owner, status))
                } else {
                    self?.handle(.callFailed(owner, nil))
                }
            }
        } catch { handle(.callFailed(owner, nil)) }
    }

    /// Returns the status that a property value represents; `nil` if the value is invalid.
    private static func status(_ value: BusValue?) -> ExternalPlayers.Status? {
        value?.text.flatMap(ExternalPlayers.Status.init)
    }

    /// Calls a D-Bus method. `completionHandler` receives the reply, or the error if the call cannot be sent.
    private func call(
        _ call: BusConnection.Call, completionHandler: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        do throws(BusError) {
            guard let busLink else { throw BusError(BusError.noServer, "there is no session bus") }
            try busLink.connection.call(call, completionHandler: completionHandler)
        } catch { completionHandler(.failure(error)) }
    }

    /// Passes an event to ``ExternalPlayers`` and makes the resulting D-Bus method calls to players.
    private func handle(_ input: ExternalPlayers.Input) {
        for action in players.handle(input) { perform(action) }
    }

    /// Calls the method `Pause` or `Play` of a player.
    private func perform(_ action: ExternalPlayers.Action) {
        let (player, member) =
            switch action {
            case .pause(let id): (id, "Pause")
            case .play(let id): (id, "Play")
            }
        logger.debug("calling another player", metadata: ["player": "\(player)", "call": "\(member)"])
        call(.init(to: player, path: Self.objectPath, interface: Self.playerInterface, member)) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.logger.debug("the call of \(member) on \(player) failed: \(error)")
            self?.handle(.callFailed(player, action))
        }
    }
}
