import Testing

@testable import AudioPolicy

/// Tests the decisions of the audio arbiter about ducking (lowering other programs). End-to-end tests check the audible
/// result. Programs are named by the letters of ``AudioModel/configurations``.
@Suite struct AudioArbiterDuckingTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), over = Notice.ended(shouldResume: false)

    @Test("a prompt ducks mixing audio without a notification, and interrupts spoken audio")
    func promptDucksMusicAndInterruptsSpeech() {
        var world = AudioModel()
        world.play("P")
        world.play("X")
        let new = { (world: inout AudioModel) in
            world.add("N")
            return world.perform { $0.activate(AudioModel.id("N"), now: $1) }
        }(&world)
        #expect(new.contains(.duck(AudioModel.id("X"), true, milliseconds: 250)))
        #expect(world.takeNotices("P") == [Self.began] && world.takeNotices("X").isEmpty && world.isDucked("X"))
        let left = world.perform { $0.deactivate(AudioModel.id("N"), notifiesOthers: false, now: $1) }
        #expect(
            left.contains(.duck(AudioModel.id("X"), false, milliseconds: 500)) && world.takeNotices("P") == [Self.over])
    }

    @Test("several ducking sessions duck other audio only once, and do not duck each other")
    func severalDuckingSessionsDuckOtherAudioOnce() {
        var world = AudioModel()
        world.play("M")
        for name in ["N", "T"] { world.play(name) }
        #expect(world.isDucked("M") && !world.isDucked("N") && !world.isDucked("T"))
        world.deactivate("N")
        #expect(world.isDucked("M"))
        world.crash("T")
        let ducks = world.actions.filter { if case .duck = $0 { true } else { false } }
        #expect(
            ducks == [
                .duck(AudioModel.id("M"), true, milliseconds: 250), .duck(AudioModel.id("M"), false, milliseconds: 500),
            ])
    }

    @Test("a prompt that stays active without sound ducks for ten seconds; without a limit it ducks all the time")
    func promptWithoutSoundStopsDuckingAfterTenSeconds() {
        for isStrict in [false, true] {
            var rules = AudioArbiter.Rules()
            if isStrict { rules.idleDuckTimeout = nil }
            var world = AudioModel(rules: rules)
            world.play("M")
            world.play("N")
            world.wait(60)
            #expect(world.isDucked("M"), "a prompt stopped ducking while it was running")
            world.stopAudio("N")
            world.wait(9.9)
            #expect(world.isDucked("M"))
            world.wait(50)
            #expect(world.isDucked("M") == isStrict)
            #expect(
                world.actions.contains { if case .log(AudioModel.id("N"), _) = $0 { true } else { false } } != isStrict
            )
            world.startAudio("N")
            #expect(world.isDucked("M"))
        }
    }

    @Test("a session that activates during a duck starts ducked; after the duck it starts at full level")
    func sessionActivatedDuringADuckStartsDucked() {
        var world = AudioModel()
        world.play("T")
        world.add("M")
        let new = world.perform { $0.activate(AudioModel.id("M"), now: $1) }
        #expect(new.contains(.activated(AudioModel.id("M"), epoch: 1, isDucked: true, isSilenced: false)))
        #expect(!new.contains { if case .duck = $0 { true } else { false } } && world.activationState("T") == .active)
        world.deactivate("M")
        world.deactivate("T")
        let again = world.perform { $0.activate(AudioModel.id("M"), now: $1) }
        #expect(again.contains(.activated(AudioModel.id("M"), epoch: 2, isDucked: false, isSilenced: false)))
    }
}
