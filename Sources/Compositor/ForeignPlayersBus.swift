import DesktopBus
import Logging
import SystemCalls

/// The connection to the session bus that carries out the decisions of ``ForeignPlayers``. Polled by the compositor's
/// event loop; never waits.
///
/// It is connected while silence is wanted and for ``linger`` after that, so that an idle compositor does not wake up
/// for signals of other players.
package final class ForeignPlayersBus {
    private static let prefix = "org.mpris.MediaPlayer2."
    private static let path = "/org/mpris/MediaPlayer2"
    private static let interface = "org.mpris.MediaPlayer2.Player"
    /// Names of players that are never paused: SwiftPlay programs, which the compositor notifies itself; playerctld, a
    /// proxy of the player that was used last; and KDE Connect, which stands for players on other devices.
    private static let exempt = ["swiftplay", "playerctld", "kdeconnect"]
    /// Nanoseconds for which the connection stays open after the silence: resumed players confirm the call, and the
    /// next silence may begin soon.
    private static let linger = 5 * MonotonicTime.nanosecondsPerSecond

    private var players = ForeignPlayers()
    private var link: Link?
    private var leavesAt: Int64?
    private let address: () -> String?
    private let logger: Logger
    /// The user's setting. When it is switched off, all paused players resume.
    package var isEnabled = true { didSet { if isEnabled != oldValue { settle() } } }
    private var wanted = ForeignPlayers.Silence.released(notify: false)

    /// A connection to the bus and the state that belongs to it.
    private struct Link {
        let connection: BusConnection
        var slots: [BusSlot]
        /// The well-known names of players, with the unique name of their owner.
        var owners: [String: ForeignPlayers.ID] = [:]
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

    /// Sets whether external players must be silent. Setting the same value again has no effect.
    package func setSilence(_ silence: ForeignPlayers.Silence) {
        wanted = silence
        settle()
    }

    private func settle() {
        if isEnabled {
            apply(wanted)
        } else {
            apply(.released(notify: true))
        }
    }

    private func apply(_ silence: ForeignPlayers.Silence) {
        switch silence {
        case .wanted:
            leavesAt = nil
            if link == nil { connect() }
        case .released:
            if link != nil, leavesAt == nil { leavesAt = MonotonicTime.now + Self.linger }
        }
        handle(.silence(silence))
    }

    // MARK: polling

    /// The descriptor to poll; -1, which polling ignores, without a connection.
    package var descriptor: Int32 { link?.connection.descriptor ?? -1 }
    /// The events to poll for.
    package var events: Poll.Events { link?.connection.events ?? [] }
    /// The host time at which ``process(now:)`` must be called even without an event; `nil` for no deadline.
    package var deadline: Int64? { [link?.connection.deadline, leavesAt].compactMap { $0 }.min() }

    /// Handles messages of the bus, and disconnects when the connection is no longer needed.
    package func process(now: Int64) {
        guard let connection = link?.connection else { return }
        do throws(BusError) {
            try connection.process()
        } catch {
            logger.info("the connection to the session bus was lost: \(error)")
            return leave()
        }
        if let leavesAt, now >= leavesAt { leave() }
    }

    private func leave() {
        link = nil
        leavesAt = nil
        handle(.lost)
    }

    // MARK: the bus

    private func connect() {
        do throws(BusError) {
            let connection = try BusConnection(address: address())
            let comings = try connection.watch(
                "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
                    + "interface='org.freedesktop.DBus',"
                    + "member='NameOwnerChanged',arg0namespace='org.mpris.MediaPlayer2'"
            ) { [weak self] signal in
                guard signal.sender == "org.freedesktop.DBus" else { return }
                let words = signal.arguments.compactMap(\.text)
                if words.count == 3 { self?.nameChanged(words[0], to: words[2]) }
            }
            let changes = try connection.watch(
                "type='signal',path='\(Self.path)',interface='org.freedesktop.DBus.Properties',"
                    + "member='PropertiesChanged',arg0='\(Self.interface)'"
            ) { [weak self] signal in
                guard signal.arguments.count > 1,
                    let status = Self.status(signal.arguments[1].dictionary?["PlaybackStatus"])
                else { return }
                self?.handle(.status(signal.sender, status))
            }
            link = Link(connection: connection, slots: [comings, changes])
            try connection.call(.init(bus: "ListNames")) { [weak self] result in
                let names = (try? result.get())?.first?.elements?.compactMap(\.text) ?? []
                for name in names where Self.isForeign(name) { self?.findOwner(of: name) }
            }
        } catch {
            link = nil
            logger.debug("cannot pause other players without the session bus: \(error)")
        }
    }

    static func isForeign(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let own = name.dropFirst(prefix.count)
        // Every name that begins with `swiftplay`, such as `swiftplay.instance42`, is a SwiftPlay program.
        return !own.hasPrefix(exempt[0]) && !exempt.contains { own == $0 || own.hasPrefix($0 + ".") }
    }

    private func findOwner(of name: String) {
        ask(.init(bus: "GetNameOwner", [.string(name)])) { [weak self] result in
            guard let self, let owner = (try? result.get())?.first?.text, link?.owners[name] == nil else { return }
            add(name, owner, .found(owner))
        }
    }

    private func nameChanged(_ name: String, to owner: String) {
        guard Self.isForeign(name), link != nil else { return }
        if let old = link?.owners.removeValue(forKey: name), link?.owners.values.contains(old) == false {
            handle(.vanished(old))
        }
        if !owner.isEmpty { add(name, owner, .appeared(owner)) }
    }

    private func add(_ name: String, _ owner: ForeignPlayers.ID, _ input: ForeignPlayers.Input) {
        guard let link, link.owners.count < ForeignPlayers.playerLimit else { return }
        let isKnown = link.owners.values.contains(owner)
        self.link?.owners[name] = owner
        guard !isKnown else { return }
        handle(input)
        do throws(BusError) {
            try link.connection.property("PlaybackStatus", of: Self.interface, at: Self.path, from: owner) {
                [weak self] result in
                if let status = Self.status(try? result.get()) {
                    self?.handle(.status(owner, status))
                } else {
                    self?.handle(.failed(owner, nil))
                }
            }
        } catch { handle(.failed(owner, nil)) }
    }

    private static func status(_ value: BusValue?) -> ForeignPlayers.Status? {
        value?.text.flatMap(ForeignPlayers.Status.init)
    }

    private func ask(_ call: BusConnection.Call, answer: @escaping (Result<[BusValue], BusError>) -> Void) {
        do throws(BusError) {
            guard let link else { throw BusError(BusError.noServer, "there is no session bus") }
            try link.connection.call(call, answer: answer)
        } catch { answer(.failure(error)) }
    }

    private func handle(_ input: ForeignPlayers.Input) {
        for action in players.handle(input) { perform(action) }
    }

    private func perform(_ action: ForeignPlayers.Action) {
        let (player, member) =
            switch action {
            case .pause(let id): (id, "Pause")
            case .play(let id): (id, "Play")
            }
        logger.debug("calling another player", metadata: ["player": "\(player)", "call": "\(member)"])
        ask(.init(to: player, path: Self.path, interface: Self.interface, member)) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.logger.debug("the call of \(member) on \(player) failed: \(error)")
            self?.handle(.failed(player, action))
        }
    }
}
