import AudioPolicy
import Glibc
import SwiftPlay
import SystemCalls

/// Writes a line, which begins with the host time in nanoseconds, and flushes the output, so that the test reads the
/// line at once.
func report(_ line: String) {
    print("\(MonotonicTime.now) \(line)")
    fflush(nil)
}

/// A player and the audio session of this process, which a test controls by commands. ``perform(_:)`` lists the
/// commands.
@MainActor
final class AudioProbe {
    private let session = AudioSession.sharedInstance()
    private let snapshotCommands: SnapshotCommands
    private let backgroundCommands: BackgroundCommands
    private var player: Player?
    /// The observation of the player's notifications, which ends when this object is released.
    private var observation: Player.Observation?

    init() {
        snapshotCommands = SnapshotCommands()
        backgroundCommands = BackgroundCommands(snapshotCommands)
    }

    /// Performs a command of the test, which consists of a verb and its arguments.
    func perform(_ parts: [String]) {
        guard let verb = parts.first else { return }
        let argument = parts.count > 1 ? parts[1] : ""
        switch verb {
        case "observe":
            session.addObserver { [session] in
                report("notified \(Self.reportText(for: $0)) hint=\(session.secondaryAudioShouldBeSilencedHint)")
            }
        // category CATEGORY [MODE [OPTIONS]]: OPTIONS is the raw value of AudioSession.CategoryOptions, in decimal.
        case "category":
            setCategory(argument, parts.count > 2 ? parts[2] : "default", parts.count > 3 ? UInt32(parts[3]) ?? 0 : 0)
        case "activate": reportResult("activate") { () throws(PlaybackError) in try session.setActive(true) }
        case "deactivate":
            reportResult("deactivate") { () throws(PlaybackError) in
                try session.setActive(false, options: argument == "notify" ? .notifyOthersOnDeactivation : [])
            }
        // activate-async and deactivate-async call the async methods of the session. The program can perform further
        // commands before these methods return.
        case "activate-async": reportAsyncResult("activate-async") { [session] in try await session.activate() }
        case "deactivate-async": reportAsyncResult("deactivate-async") { [session] in try await session.deactivate() }
        case "speaker":
            reportResult("speaker") { () throws(PlaybackError) in
                try session.overrideOutputAudioPort(argument == "on" ? .speaker : .none)
            }
        case "speaker-async":
            reportAsyncResult("speaker-async") { [session] in
                try await session.overrideOutput(argument == "on" ? .speaker : .none)
            }
        case "refresh-others":
            reportAsyncResult("refresh-others") { [session] in await session.refreshOtherSessions() }
        case "others":
            let start = MonotonicTime.now
            report("others \(session.isOtherAudioPlaying) \((MonotonicTime.now - start) / 1000)")
        case "say": report("said \(argument)")
        case "prefer": session.setPrefersNoInterruptionsFromSystemAlerts(argument == "on")
        case "rate":
            reportResult("rate") { () throws(PlaybackError) in
                try session.setPreferredSampleRate(Double(argument) ?? -1)
            }
        case "buffer":
            reportResult("buffer") { () throws(PlaybackError) in
                try session.setPreferredIOBufferDuration(Double(argument) ?? -1)
            }
        case "channels":
            reportResult("channels") { () throws(PlaybackError) in
                try session.setPreferredOutputNumberOfChannels(Int(argument) ?? -1)
            }
        case "background": session.setAllowsBackgroundPlayback(argument == "on")
        case "stay": session.setPrefersInterruptionOnRouteDisconnect(argument != "on")
        case "place": if let visibility = Self.programStatesByArgument[argument] { session.setVisibility(visibility) }
        case "load": loadFile(argument)
        case "play": player?.play()
        case "pause": player?.pause()
        case "mute": player?.isMuted = argument == "on"
        case "volume": player?.volume = Float(argument) ?? 1
        case "seek":
            player?.seek(
                to: MediaTime(seconds: Double(argument) ?? 0), toleranceBefore: .zero, toleranceAfter: .zero)
        case "device": player?.audioOutputDeviceUniqueID = argument
        case "close":
            player?.close()
            player = nil
        case "state": reportState()
        case "outputvolume": report("outputvolume \(session.outputVolume)")
        case "quit": exit(0)
        default:
            let arguments = Array(parts.dropFirst())
            if snapshotCommands.perform(verb, arguments) || backgroundCommands.perform(verb, arguments) { return }
            report("not understood: \(parts.joined(separator: " "))")
        }
    }

    /// The program states (foreground, background or Picture-in-Picture) by the argument of the command `place`, which
    /// reports the state to the audio session.
    private static let programStatesByArgument = [
        "front": AudioArbiter.Visibility.foreground, "background": .background, "pip": .pictureInPicture,
    ]

    /// Sets the category, the mode and the options of the audio session, and writes a line with the result.
    private func setCategory(_ category: String, _ mode: String, _ options: UInt32) {
        guard let category = AudioSession.Category.allCases.first(where: { "\($0)" == category }),
            let mode = AudioSession.Mode.allCases.first(where: { "\($0)" == mode })
        else { return report("not understood: \(category) \(mode)") }
        reportResult("category") { () throws(PlaybackError) in
            try session.setCategory(category, mode: mode, options: AudioSession.CategoryOptions(rawValue: options))
        }
    }

    /// Runs `body` in a task and then writes `ok NAME MICROSECONDS` or `failed NAME CODE MICROSECONDS`. NAME is the
    /// command, and MICROSECONDS is the time that `body` took.
    private func reportAsyncResult(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
        let start = MonotonicTime.now
        Task {
            do {
                try await body()
                report("ok \(name) \((MonotonicTime.now - start) / 1000)")
            } catch {
                let errorCode = (error as? PlaybackError)?.code.rawValue ?? 0
                report("failed \(name) \(errorCode) \((MonotonicTime.now - start) / 1000)")
            }
        }
    }

    /// Runs `body` and then writes `ok NAME MICROSECONDS ducked=TIME` or `failed NAME CODE MICROSECONDS`. NAME is the
    /// command, MICROSECONDS is the time that `body` took, and TIME is the session's `duckCompleteTime`.
    private func reportResult(_ name: String, _ body: () throws(PlaybackError) -> Void) {
        let start = MonotonicTime.now
        do throws(PlaybackError) {
            try body()
            report("ok \(name) \((MonotonicTime.now - start) / 1000) ducked=\(session.duckCompleteTime.value)")
        } catch { report("failed \(name) \(error.code.rawValue) \((MonotonicTime.now - start) / 1000)") }
    }

    /// Creates a player for a file, and writes a line for each change of its playback.
    private func loadFile(_ file: String) {
        do {
            let newPlayer = try Player(playerItem: PlayerItem(location: file))
            observation = newPlayer.observe { [weak newPlayer] notification in
                switch notification {
                case .timeControlStatusChanged:
                    report("player \(newPlayer.map { "\($0.timeControlStatus)" } ?? "gone")")
                case .didPlayToEnd: report("ended")
                case .warning(let text): report("warning \(text)")
                default: break
                }
            }
            player = newPlayer
        } catch { report("cannot: \(error)") }
    }

    /// Writes a line with the state of the audio session and of the player.
    private func reportState() {
        let time = player?.currentTime().seconds ?? 0
        report(
            """
            state active=\(session.isActive) category=\(session.category) \
            hint=\(session.secondaryAudioShouldBeSilencedHint) other=\(session.isOtherAudioPlaying) \
            prompt=\(session.promptStyle) rate=\(player?.rate ?? 0) time=\(time) \
            route=\(session.currentRoute.outputs.first?.portType.rawValue ?? "-") samplerate=\(session.sampleRate) \
            period=\(session.ioBufferDuration) channels=\(session.outputNumberOfChannels) \
            latency=\(session.outputLatency)
            """)
    }

    /// Returns the text that this program prints for a notification of the audio session.
    private nonisolated static func reportText(for notification: AudioSession.Notification) -> String {
        switch notification {
        case .interruptionBegan(let reason): "began(\(reason))"
        case .interruptionEnded(let resumes): resumes ? "ended(shouldResume)" : "ended"
        case .silenceSecondaryAudioHint(let begins): begins ? "hint(begin)" : "hint(end)"
        case .routeChange(let reason, let previous):
            "route(\(reason),\(previous.outputs.first?.portType.rawValue ?? "-"))"
        case .outputVolume(let volume): "volume(\(volume))"
        case .mediaServicesWereLost: "lost"
        case .mediaServicesWereReset: "reset"
        }
    }
}
