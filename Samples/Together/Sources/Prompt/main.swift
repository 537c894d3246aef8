import Dispatch
import Foundation
import SwiftPlay
import Tones

// As a navigation speaks: a prompt every ten seconds, or once with --once. Music is lowered while it speaks, speech is
// paused.
let session = AudioSession.sharedInstance()
try session.setCategory(.playback, mode: .voicePrompt, options: [.interruptSpokenAudioAndMixWithOthers, .duckOthers])
let file = try Tones.file("prompt", notes: [1047, 1319, 1568], each: 0.5, loudness: 0.5)
let isOnce = CommandLine.arguments.contains("--once")

/// Speaks, and waits until it has.
func speak() throws {
    try session.setActive(true)
    // Those who are lowered are down by then.
    let wait = (session.duckCompleteTime - Timebase.hostTime).seconds
    if wait > 0 { usleep(UInt32(wait * 1_000_000)) }
    let player = try Player(playerItem: PlayerItem(location: file)), isOver = DispatchSemaphore(value: 0)
    let observation = player.observe { if case .didPlayToEnd = $0 { isOver.signal() } }
    print("in 200 metres turn left")
    player.play()
    isOver.wait()
    withExtendedLifetime(observation) { player.close() }
    // Without this the others would stay lowered.
    try session.setActive(false, options: .notifyOthersOnDeactivation)
}

// The main queue is free for what players tell.
Thread.detachNewThread {
    do {
        repeat {
            try speak()
            if !isOnce { sleep(10) }
        } while !isOnce
        try? FileManager.default.removeItem(atPath: file)
        exit(0)
    } catch {
        print("\(error)")
        exit(1)
    }
}
dispatchMain()
