import Dispatch
import Foundation
import SwiftPlay
import Tones

/// Plays audio as a game does: effects that mix with other programs, and music that pauses while another program plays
/// music.
@MainActor
final class Game {
    private let session = AudioSession.sharedInstance()
    private let effects: Player
    private let music: QueuePlayer
    private let looper: PlayerLooper
    private let files: [String]
    private var stepTimer: DispatchSourceTimer?
    private var isInterrupted = false

    init() throws {
        // An ambient session never interrupts other programs, and the silent switch mutes it.
        try session.setCategory(.ambient)
        let step = try Tones.writeFile("step", notes: [880, 0], each: 0.12, loudness: 0.2)
        let tune = try Tones.writeFile(
            "tune", notes: [220, 262, 330, 262, 247, 294, 330, 294], each: 0.5, loudness: 0.15)
        files = [step, tune]
        effects = try Player(playerItem: PlayerItem(location: step))
        effects.actionAtItemEnd = .pause
        music = try QueuePlayer()
        looper = PlayerLooper(player: music, templateItem: PlayerItem(location: tune))
    }

    func start() throws {
        try session.setActive(true)
        session.addObserver { [weak self] notification in
            guard let self else { return }
            DispatchQueue.main.async { MainActor.assumeIsolated { self.handle(notification) } }
        }
        applySilenceHint()
        // Play an effect each second, even while other programs play.
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: 1)
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                guard let self, !self.isInterrupted else { return }
                self.effects.seek(to: .zero)
                self.effects.play()
            }
        }
        timer.resume()
        stepTimer = timer
    }

    private func handle(_ notification: AudioSession.Notification) {
        switch notification {
        case .silenceSecondaryAudioHint: applySilenceHint()
        case .interruptionBegan:
            print("interrupted, for example by a call")
            // Playing the step effect now would activate the session again and mix the effect with the phone call.
            isInterrupted = true
        case .interruptionEnded:
            print("the interruption has ended")
            isInterrupted = false
            try? session.setActive(true)
        case .mediaServicesWereReset:
            // After a reset the session keeps its category but is inactive.
            try? session.setActive(true)
            applySilenceHint()
        default: break
        }
    }

    /// Pauses or plays the game's music, as `secondaryAudioShouldBeSilencedHint` requires.
    private func applySilenceHint() {
        let shouldBeSilent = session.secondaryAudioShouldBeSilencedHint
        print(shouldBeSilent ? "another program plays music: the game's music pauses" : "the game's music plays")
        if shouldBeSilent { music.pause() } else { music.play() }
    }

    func close() {
        effects.close()
        music.close()
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
        for file in files { try? FileManager.default.removeItem(atPath: file) }
    }
}

let game = try Game()
try game.start()
print("The game plays steps and music. Press Ctrl+C to end it.")
signal(SIGINT, SIG_IGN)
let interruptSource = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
interruptSource.setEventHandler {
    MainActor.assumeIsolated { game.close() }
    exit(0)
}
interruptSource.resume()
dispatchMain()
