import AudioOutput
import AudioPolicy
import SystemCalls

/// Where this program's sound is heard, and what the device is that it goes to.
extension AudioSession {
    /// Why sound is heard elsewhere (AVAudioSession.RouteChangeReason), with its numbers.
    public enum RouteChangeReason: UInt, Sendable, CaseIterable {
        /// The reason is not known.
        case unknown = 0
        /// Something to listen to was plugged in. What plays is heard there; what was paused stays paused.
        case newDeviceAvailable = 1
        /// What was listened to is gone. What the user listened to has been interrupted before this is heard.
        case oldDeviceUnavailable = 2
        /// The category of this session, which was active, is another.
        case categoryChange = 3
        /// The user, or a program, wants it there: nothing is paused.
        case override = 4
        /// The machine was asleep.
        case wakeFromSleep = 6
        /// There is nothing left to be heard on.
        case noSuitableRouteForCategory = 7
        /// The device that this program's sound goes to was opened with another rate, another number of channels or
        /// another period.
        case routeConfigurationChange = 8
    }

    /// What stands at the end of a route (AVAudioSession.Port).
    public enum Port: String, Sendable, CaseIterable {
        /// The speakers of the machine.
        case builtInSpeaker = "Speaker"
        /// Headphones at a jack.
        case headphones = "Headphones"
        /// A line output.
        case lineOut = "LineOut"
        /// A display or receiver at HDMI or DisplayPort.
        case hdmi = "HDMIOutput"
        /// A USB device.
        case usbAudio = "USBAudio"
        /// A Bluetooth device.
        case bluetoothA2DP = "BluetoothA2DPOutput"
        /// A sound server decides, and does not say.
        case soundServer = "SoundServer"
    }

    /// AVAudioSessionPortDescription.
    public struct PortDescription: Sendable, Hashable {
        /// The kind of the port.
        public let portType: Port
        /// For people: `Built-in Audio`.
        public let portName: String
        /// ALSA's name of the device: `default`.
        public let uid: String
    }

    /// AVAudioSessionRouteDescription.
    public struct RouteDescription: Sendable, Hashable {
        /// One, or none: where nobody knows of one.
        public let outputs: [PortDescription]
    }

    /// Where sound is heard, as the compositor sees it. Without outputs until it has told, and where there is no
    /// compositor. A category without output (`record`) has none either.
    public var currentRoute: RouteDescription {
        RouteDescription(state.withLock { $0.wanted.configuration.category.hasOutput ? $0.output.current : nil })
    }

    /// A player of this program is heard where it was asked to be: other programs are not, so nobody else is told.
    func moved(to device: String) {
        // ALSA's default is what the compositor tells of.
        let route = device == "default" ? nil : AudioRoute(alsaDevice: device)
        let previous: AudioRoute? = state.update { $0.output.move(to: route) }
        tell(.routeChange(reason: .override, previous: RouteDescription(previous)))
    }

    // MARK: the device

    /// The system's volume as the user has set it, 0 to 1, by ALSA's control `default`: the card's, or the sound
    /// server's. 0 while that is muted, 1 where nobody says. The first time waits for the server, 100 ms at most.
    public var outputVolume: Float {
        let followed: SystemVolume? = systemVolume.withLock { volume in
            if volume == nil { volume = try? SystemVolume { [weak self] in self?.tell(.outputVolume($0)) } }
            return volume
        }
        return followed?.current ?? 1
    }

    /// Samples a second, of the device that is open; 48,000 before one is.
    public var sampleRate: Double { device?.sampleRate ?? 48_000 }

    /// Seconds of sound that the device takes at a time, of the one that is open; 0.015 before one is.
    public var ioBufferDuration: Double { device?.period ?? 0.015 }

    /// Seconds from the device's queue to the ear: what it adds to the sound that is queued in it. 0 before one is
    /// open, and until it has played.
    public var outputLatency: Double { device?.latency ?? 0 }

    /// What a player's device is, times in seconds.
    struct Device: Sendable, Equatable {
        var sampleRate: Double
        var channels: Int
        var period: Double
        var latency: Double
    }

    /// That of the first player which has one.
    private var device: Device? {
        let players = state.withLock { $0.claims.all }
        // Asked without the lock: a player has one of its own.
        return players.lazy.compactMap { $0.device() }.first
    }

    /// Samples a frame of the device that is open; 2 before one is.
    public var outputNumberOfChannels: Int { device?.channels ?? 2 }

    /// A player has opened its device: in another form than before, the route stays and its configuration is another.
    func deviceOpened() {
        guard let new = device else { return }
        guard state.update({ $0.output.open(new) }) else { return }
        tell(.routeChange(reason: .routeConfigurationChange, previous: currentRoute))
    }

    // MARK: what the compositor says

    func setRoute(_ route: AudioRoute?) { state.update { $0.output.route = route } }

    /// A device that was given up may be there again now.
    func hear(_ change: RouteChange) {
        // A category concerns this session alone: the route of others stays.
        if change.reason != .categoryChange { setRoute(change.current) }
        let isNew = change.current != nil && !change.losesSound && change.reason != .categoryChange
        tell(
            .routeChange(reason: RouteChangeReason(change.reason), previous: RouteDescription(change.previous)),
            isNew ? .deviceCame : nil)
    }
}

extension AudioSession.RouteDescription {
    init(_ route: AudioRoute?) { outputs = route.map { [AudioSession.PortDescription($0)] } ?? [] }
}

extension AudioSession.PortDescription {
    init(_ route: AudioRoute) {
        (portName, uid) = (route.name, route.device)
        portType =
            switch route.port {
            case .speaker: .builtInSpeaker
            case .headphones: .headphones
            case .lineOut: .lineOut
            case .hdmi: .hdmi
            case .usb: .usbAudio
            case .bluetooth: .bluetoothA2DP
            case .server: .soundServer
            }
    }
}

extension AudioSession.RouteChangeReason {
    /// The numbers are the same.
    init(_ reason: RouteChange.Reason) { self = Self(rawValue: UInt(reason.rawValue)) ?? .unknown }
}
