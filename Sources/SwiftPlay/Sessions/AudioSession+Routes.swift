import AudioOutput
import AudioPolicy
import SystemCalls

/// The route of this program's audio, and the properties of its audio device.
extension AudioSession {
    /// The reason of a route change (AVAudioSession.RouteChangeReason, with the same raw values).
    public enum RouteChangeReason: UInt, Sendable, CaseIterable {
        /// The reason is not known.
        case unknown = 0
        /// A device was connected. Playback continues on this device; paused players stay paused.
        case newDeviceAvailable = 1
        /// The device was removed. The now playing program was interrupted before this notification.
        case oldDeviceUnavailable = 2
        /// The category of this active session changed.
        case categoryChange = 3
        /// The user or a program chose another device or port. Playback continues.
        case override = 4
        /// The machine woke up from sleep.
        case wakeFromSleep = 6
        /// There is no audio device left.
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
        /// A screen or receiver at HDMI or DisplayPort.
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
        /// The name of the output that is shown to the user, such as `Built-in Audio`.
        public let portName: String
        /// The name of the device in ALSA, such as `default`.
        public let uid: String
    }

    /// A route of audio (AVAudioSessionRouteDescription).
    public struct RouteDescription: Sendable, Hashable {
        /// The outputs: one, or none if the route is unknown.
        public let outputs: [PortDescription]
    }

    /// The current route, as the compositor reports it. It has no outputs before the first report, without a
    /// compositor, and with a category without output (`record`).
    public var currentRoute: RouteDescription {
        RouteDescription(
            state.withLock { $0.requestedState.configuration.category.hasOutput ? $0.output.currentRoute : nil })
    }

    /// Handles the move of a player to another device. Only this program's observers are notified, because the routes
    /// of other programs do not change.
    func handleMove(to device: String) {
        // For ALSA's default device, nil selects the route that the compositor reports.
        let route = device == "default" ? nil : AudioRoute(alsaDevice: device)
        let previous: AudioRoute? = state.update { $0.output.move(to: route) }
        notify(.routeChange(reason: .override, previous: RouteDescription(previous)))
    }

    // MARK: The device

    /// The system volume that the user has set, 0 to 1: the volume of ALSA's mixer `default`, which belongs to the card
    /// or to the sound server. 0 while it is muted, 1 if there is no mixer. The first read blocks for at most 100 ms.
    public var outputVolume: Float {
        let mixerVolume: SystemVolume? = systemVolume.withLock { volume in
            if volume == nil { volume = try? SystemVolume { [weak self] in self?.notify(.outputVolume($0)) } }
            return volume
        }
        return mixerVolume?.current ?? 1
    }

    /// The sample rate of the open device in Hz; 48,000 before a device is open.
    public var sampleRate: Double { device?.sampleRate ?? 48_000 }

    /// The period of the open device in seconds; 0.02 before a device is open.
    public var ioBufferDuration: Double { device?.period ?? 0.02 }

    /// The time until audio is audible after it has left the device's queue, in seconds; 0 until the device has played.
    public var outputLatency: Double { device?.latency ?? 0 }

    /// The properties of a player's device. Times are in seconds.
    struct Device: Sendable, Equatable {
        /// The sample rate in Hz.
        var sampleRate: Double
        /// The number of channels.
        var channels: Int
        /// The duration of audio that the device takes at a time.
        var period: Double
        /// The delay until audio is audible after it has left the device's queue.
        var latency: Double
    }

    /// The device of the first player that has an open device.
    private var device: Device? {
        let players = state.withLock { $0.users.allPlayers }
        // Call `device` without holding the lock: it takes the lock of the player.
        return players.lazy.compactMap { $0.device() }.first
    }

    /// The number of channels of the open device; 2 before a device is open.
    public var outputNumberOfChannels: Int { device?.channels ?? 2 }

    /// Handles the opening of a device. Notifies observers if its rate, channels or period differ from those of the
    /// last device.
    func handleOpenedDevice() {
        guard let openedDevice = device else { return }
        guard state.update({ $0.output.open(openedDevice) }) else { return }
        notify(.routeChange(reason: .routeConfigurationChange, previous: currentRoute))
    }

    // MARK: Reports of the compositor

    /// Records the route that the compositor reports; nil for an unknown route.
    func setRoute(_ route: AudioRoute?) { state.update { $0.output.route = route } }

    /// Handles a change of the route that the compositor reports. Players whose device could not be opened try again,
    /// unless there is no output, the device in use was removed, or only the category changed.
    func handle(_ change: RouteChange) {
        // A change of the category does not change the device, only the route that this session reports.
        if change.reason != .categoryChange { setRoute(change.current) }
        let mayOpenDevice = change.current != nil && !change.losesOutput && change.reason != .categoryChange
        notify(
            .routeChange(reason: RouteChangeReason(change.reason), previous: RouteDescription(change.previous)),
            mayOpenDevice ? .deviceAvailable : nil)
    }
}

extension AudioSession.RouteDescription {
    /// Converts a route into the public type; nil becomes a route without outputs.
    init(_ route: AudioRoute?) { outputs = route.map { [AudioSession.PortDescription($0)] } ?? [] }
}

extension AudioSession.PortDescription {
    /// Creates the public description of a route's output.
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
            case .soundServer: .soundServer
            }
    }
}

extension AudioSession.RouteChangeReason {
    /// Creates the public reason for a reason of the protocol. The raw values are the same.
    init(_ reason: RouteChange.Reason) { self = Self(rawValue: UInt(reason.rawValue)) ?? .unknown }
}
