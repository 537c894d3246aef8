import Dispatch
import Foundation
import SwiftPlay
import Tones

// Plays a prompt of three tones every ten seconds, as a navigation program does, or only once with --once. During a
// prompt, the volume of other programs' music is lowered and their speech is paused.
let session = AudioSession.sharedInstance()
try session.setCategory(.playback, mode: .voicePrompt, options: [.interruptSpokenAudioAndMixWithOthers, .duckOthers])
let file = try Tones.writeFile("prompt", notes: [1047, 1319, 1568], each: 0.5, loudness: 0.5)
let playsOnce = CommandLine.arguments.contains("--once")

/// Plays the prompt once. Blocks until the prompt has ended.
func playPrompt() throws {
    try session.setActive(true)
    // Wait until the volume of the other programs is lowered.
    let delay = (session.duckCompleteTime - Timebase.hostTime).seconds
    if delay > 0 { usleep(UInt32(delay * 1_000_000)) }
    let player = try Player(playerItem: PlayerItem(location: file)), endSemaphore = DispatchSemaphore(value: 0)
    let observation = player.observe { if case .didPlayToEnd = $0 { endSemaphore.signal() } }
    print("in 200 metres turn left")
    player.play()
    endSemaphore.wait()
    withExtendedLifetime(observation) { player.close() }
    // Deactivation raises the volume of the other programs again.
    try session.setActive(false, options: .notifyOthersOnDeactivation)
}

// Players notify observers on the main queue, so the prompts run on another thread.
Thread.detachNewThread {
    do {
        repeat {
            try playPrompt()
            if !playsOnce { sleep(10) }
        } while !playsOnce
        try? FileManager.default.removeItem(atPath: file)
        exit(0)
    } catch {
        print("\(error)")
        exit(1)
    }
}
dispatchMain()
