import AudioPolicy
import Glibc
import SwiftPlay
import SystemCalls

/// Writes a line at once, behind the host time.
func report(_ line: String) {
    print("\(MonotonicTime.now) \(line)")
    fflush(nil)
}

/// A program with one player and its audio session. Does what the lines say.
@MainActor
final class SoundActor {
    private let session = AudioSession.sharedInstance()
    private var player: Player?
    private var observation: Player.Observation?

    nonisolated init() {}

    func perform(_ words: [String]) {
        guard let verb = words.first else { return }
        let argument = words.count > 1 ? words[1] : ""
        switch verb {
        case "listen":
            session.addObserver { [session] in
                report("heard \(Self.name(of: $0)) hint=\(session.secondaryAudioShouldBeSilencedHint)")
            }
        // category CATEGORY [MODE [OPTIONS]]: the options as a number of Apple's bits.
        case "category":
            configure(argument, words.count > 2 ? words[2] : "default", words.count > 3 ? UInt32(words[3]) ?? 0 : 0)
        case "activate": answer("activate") { () throws(PlaybackError) in try session.setActive(true) }
        case "deactivate":
            answer("deactivate") { () throws(PlaybackError) in
                try session.setActive(false, options: argument == "notify" ? .notifyOthersOnDeactivation : [])
            }
        // The same without blocking: other lines are performed meanwhile.
        case "activate-async": answerLater("activate-async") { [session] in try await session.activate() }
        case "deactivate-async": answerLater("deactivate-async") { [session] in try await session.deactivate() }
        case "speaker":
            answer("speaker") { () throws(PlaybackError) in
                try session.overrideOutputAudioPort(argument == "on" ? .speaker : .none)
            }
        case "speaker-async":
            answerLater("speaker-async") { [session] in
                try await session.overrideOutput(argument == "on" ? .speaker : .none)
            }
        case "learn": answerLater("learn") { [session] in await session.learnAboutOthers() }
        case "others":
            let start = MonotonicTime.now
            report("others \(session.isOtherAudioPlaying) \((MonotonicTime.now - start) / 1000)")
        case "say": report("said \(argument)")
        case "prefer": session.setPrefersNoInterruptionsFromSystemAlerts(argument == "on")
        case "rate":
            answer("rate") { () throws(PlaybackError) in try session.setPreferredSampleRate(Double(argument) ?? -1) }
        case "buffer":
            answer("buffer") { () throws(PlaybackError) in
                try session.setPreferredIOBufferDuration(Double(argument) ?? -1)
            }
        case "channels":
            answer("channels") { () throws(PlaybackError) in
                try session.setPreferredOutputNumberOfChannels(Int(argument) ?? -1)
            }
        case "background": session.setAllowsBackgroundPlayback(argument == "on")
        case "stay": session.setPrefersInterruptionOnRouteDisconnect(argument != "on")
        case "place": if let place = Self.places[argument] { session.setPresence(place) }
        case "load": load(argument)
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
        case "state": tellState()
        case "outputvolume": report("outputvolume \(session.outputVolume)")
        case "quit": exit(0)
        default: report("not understood: \(words.joined(separator: " "))")
        }
    }

    private static let places = [
        "front": AudioArbiter.Presence.foreground, "background": .background, "pip": .pictureInPicture,
    ]

    private func configure(_ category: String, _ mode: String, _ options: UInt32) {
        guard let category = AudioSession.Category.allCases.first(where: { "\($0)" == category }),
            let mode = AudioSession.Mode.allCases.first(where: { "\($0)" == mode })
        else { return report("not understood: \(category) \(mode)") }
        answer("category") { () throws(PlaybackError) in
            try session.setCategory(category, mode: mode, options: AudioSession.CategoryOptions(rawValue: options))
        }
    }

    /// `ok WHAT MICROSECONDS` or `failed WHAT CODE MICROSECONDS`, when it is done.
    private func answerLater(_ what: String, _ body: @escaping @Sendable () async throws -> Void) {
        let start = MonotonicTime.now
        Task {
            do {
                try await body()
                report("ok \(what) \((MonotonicTime.now - start) / 1000)")
            } catch {
                report(
                    "failed \(what) \((error as? PlaybackError)?.code.rawValue ?? 0) \((MonotonicTime.now - start) / 1000)"
                )
            }
        }
    }

    /// `ok WHAT MICROSECONDS` or `failed WHAT CODE MICROSECONDS`.
    private func answer(_ what: String, _ body: () throws(PlaybackError) -> Void) {
        let start = MonotonicTime.now
        do throws(PlaybackError) {
            try body()
            report("ok \(what) \((MonotonicTime.now - start) / 1000) ducked=\(session.duckCompleteTime.value)")
        } catch { report("failed \(what) \(error.code.rawValue) \((MonotonicTime.now - start) / 1000)") }
    }

    private func load(_ file: String) {
        do {
            let made = try Player(playerItem: PlayerItem(location: file))
            observation = made.observe { [weak made] notification in
                switch notification {
                case .timeControlStatusChanged: report("player \(made.map { "\($0.timeControlStatus)" } ?? "gone")")
                case .didPlayToEnd: report("ended")
                case .warning(let text): report("warning \(text)")
                default: break
                }
            }
            player = made
        } catch { report("cannot: \(error)") }
    }

    private func tellState() {
        let time = player?.currentTime().seconds ?? 0
        report(
            "state active=\(session.isActive) category=\(session.category) hint=\(session.secondaryAudioShouldBeSilencedHint) "
                + "other=\(session.isOtherAudioPlaying) prompt=\(session.promptStyle) rate=\(player?.rate ?? 0) time=\(time) "
                + "route=\(session.currentRoute.outputs.first?.portType.rawValue ?? "-") samplerate=\(session.sampleRate) "
                + "period=\(session.ioBufferDuration) channels=\(session.outputNumberOfChannels) latency=\(session.outputLatency)"
        )
    }

    private nonisolated static func name(of notification: AudioSession.Notification) -> String {
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
