import Dispatch
import Foundation
import SwiftPlay
import Tones

/// As a game has sound: effects that belong to it and mix with everything, and music of its own that gives way when the
/// user has other music.
@MainActor
final class Game {
    private let session = AudioSession.sharedInstance()
    private let effects: Player
    private let music: QueuePlayer
    private let looper: PlayerLooper
    private let files: [String]
    private var steps: DispatchSourceTimer?
    private var isInterrupted = false

    init() throws {
        // Ambient: never takes anybody's place, and the silent switch silences it.
        try session.setCategory(.ambient)
        let step = try Tones.file("step", notes: [880, 0], each: 0.12, loudness: 0.2)
        let tune = try Tones.file("tune", notes: [220, 262, 330, 262, 247, 294, 330, 294], each: 0.5, loudness: 0.15)
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
            DispatchQueue.main.async { MainActor.assumeIsolated { self.hear(notification) } }
        }
        followHint()
        // An effect each second, whoever else plays.
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
        steps = timer
    }

    private func hear(_ notification: AudioSession.Notification) {
        switch notification {
        case .silenceSecondaryAudioHint: followHint()
        case .interruptionBegan:
            print("interrupted: a call, say")
            // A step now would be a claim of its own, and be heard beside the call.
            isInterrupted = true
        case .interruptionEnded:
            print("heard again")
            isInterrupted = false
            try? session.setActive(true)
        case .mediaServicesWereReset:
            // The session has kept its category and is inactive.
            try? session.setActive(true)
            followHint()
        default: break
        }
    }

    private func followHint() {
        let isSilent = session.secondaryAudioShouldBeSilencedHint
        print(isSilent ? "other music plays: mine is silent, the steps go on" : "my own music plays")
        if isSilent { music.pause() } else { music.play() }
    }

    func end() {
        effects.close()
        music.close()
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
        for file in files { try? FileManager.default.removeItem(atPath: file) }
    }
}

let game = try Game()
try game.start()
print("A game: steps, and music of its own. Ctrl+C ends it.")
signal(SIGINT, SIG_IGN)
let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
interrupt.setEventHandler {
    MainActor.assumeIsolated { game.end() }
    exit(0)
}
interrupt.resume()
dispatchMain()
