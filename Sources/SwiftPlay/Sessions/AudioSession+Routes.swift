import AudioOutput
import AudioPolicy
import SystemCalls

/// The route of this program's audio, and the properties of its device.
extension AudioSession {
    /// The reason of a route change (AVAudioSession.RouteChangeReason, with its numbers).
    public enum RouteChangeReason: UInt, Sendable, CaseIterable {
        /// The reason is not known.
        case unknown = 0
        /// A device was connected. Playback continues there; paused players stay paused.
        case newDeviceAvailable = 1
        /// The device was removed. The now playing program was interrupted before this notification.
        case oldDeviceUnavailable = 2
        /// The category of this active session changed.
        case categoryChange = 3
        /// The user or a program chose another device or port. Playback continues.
        case override = 4
        /// The machine woke up.
        case wakeFromSleep = 6
        /// There is no device left.
        case noSuitableRouteForCategory = 7
        /// The device of this program was opened with another rate, number of channels or period.
        case routeConfigurationChange = 8
    }

    /// The kind of an output (AVAudioSession.Port).
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
        /// A sound server, which does not report the kind of its output.
        case soundServer = "SoundServer"
    }

    /// An output of a route (AVAudioSessionPortDescription).
    public struct PortDescription: Sendable, Hashable {
        /// The kind of the port.
        public let portType: Port
        /// The name for people, such as `Built-in Audio`.
        public let portName: String
        /// The name of the device in ALSA, such as `default`.
        public let uid: String
    }

    /// A route of audio (AVAudioSessionRouteDescription).
    public struct RouteDescription: Sendable, Hashable {
        /// The outputs: one, or none if it is unknown.
        public let outputs: [PortDescription]
    }

    /// The current route, as the compositor reports it. It has no outputs before the first report, without a
    /// compositor, and with a category without output (`record`).
    public var currentRoute: RouteDescription {
        RouteDescription(state.withLock { $0.wanted.configuration.category.hasOutput ? $0.output.current : nil })
    }

    /// A player of this program moved to another device. Other programs did not, so they are not notified.
    func moved(to device: String) {
        // The compositor reports the route of ALSA's default device.
        let route = device == "default" ? nil : AudioRoute(alsaDevice: device)
        let previous: AudioRoute? = state.update { $0.output.move(to: route) }
        tell(.routeChange(reason: .override, previous: RouteDescription(previous)))
    }

    // MARK: The device

    /// The system volume that the user has set, 0 to 1: that of ALSA's mixer `default`, which belongs to the card or to
    /// the sound server. 0 while it is muted, 1 if there is no mixer. The first read blocks for at most 100 ms.
    public var outputVolume: Float {
        let followed: SystemVolume? = systemVolume.withLock { volume in
            if volume == nil { volume = try? SystemVolume { [weak self] in self?.tell(.outputVolume($0)) } }
            return volume
        }
        return followed?.current ?? 1
    }

    /// The sample rate of the open device in Hz; 48,000 before one is open.
    public var sampleRate: Double { device?.sampleRate ?? 48_000 }

    /// The period of the open device in seconds; 0.015 before one is open.
    public var ioBufferDuration: Double { device?.period ?? 0.015 }

    /// The latency of the device in seconds, beyond its queue; 0 until it has played.
    public var outputLatency: Double { device?.latency ?? 0 }

    /// The properties of a player's device. Times are in seconds.
    struct Device: Sendable, Equatable {
        var sampleRate: Double
        var channels: Int
        var period: Double
        var latency: Double
    }

    /// The device of the first player that has one.
    private var device: Device? {
        let players = state.withLock { $0.claims.all }
        // Calls without the lock, because a player has a lock of its own.
        return players.lazy.compactMap { $0.device() }.first
    }

    /// The number of channels of the open device; 2 before one is open.
    public var outputNumberOfChannels: Int { device?.channels ?? 2 }

    /// Handles the opening of a device. If its form differs from the last one, the configuration of the route changed.
    func deviceOpened() {
        guard let new = device else { return }
        guard state.update({ $0.output.open(new) }) else { return }
        tell(.routeChange(reason: .routeConfigurationChange, previous: currentRoute))
    }

    // MARK: What the compositor says

    func setRoute(_ route: AudioRoute?) { state.update { $0.output.route = route } }

    /// A device that could not be opened may be available again.
    func hear(_ change: RouteChange) {
        // A change of the category affects this session only.
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
    /// The raw values are the same.
    init(_ reason: RouteChange.Reason) { self = Self(rawValue: UInt(reason.rawValue)) ?? .unknown }
}
