import Testing

@testable import AudioPolicy

/// Tests the decisions of the audio arbiter about ducking (attenuating the audio of other programs). End-to-end tests
/// check the audible result. Programs have the one-letter names of ``AudioModel/configurations``.
@Suite struct AudioArbiterDuckingTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), endedWithoutResuming = Notice.ended(shouldResume: false)

    @Test("a prompt ducks mixing audio without a notification, and interrupts spoken audio")
    func promptDucksMusicAndInterruptsSpeech() {
        var model = AudioModel()
        model.play("P")
        model.play("X")
        let activationActions = { (model: inout AudioModel) in
            model.add("N")
            return model.perform { $0.activate(AudioModel.id("N"), now: $1) }
        }(&model)
        #expect(activationActions.contains(.duck(AudioModel.id("X"), true, milliseconds: 250)))
        #expect(model.takeNotices("P") == [Self.began] && model.takeNotices("X").isEmpty && model.isDucked("X"))
        let deactivationActions = model.perform { $0.deactivate(AudioModel.id("N"), notifiesOthers: false, now: $1) }
        #expect(
            deactivationActions.contains(.duck(AudioModel.id("X"), false, milliseconds: 500))
                && model.takeNotices("P") == [Self.endedWithoutResuming])
    }

    @Test("several ducking sessions duck other audio only once, and do not duck each other")
    func severalDuckingSessionsDuckOtherAudioOnce() {
        var model = AudioModel()
        model.play("M")
        for name in ["N", "T"] { model.play(name) }
        #expect(model.isDucked("M") && !model.isDucked("N") && !model.isDucked("T"))
        model.deactivate("N")
        #expect(model.isDucked("M"))
        model.crash("T")
        let ducks = model.actions.filter { if case .duck = $0 { true } else { false } }
        #expect(
            ducks == [
                .duck(AudioModel.id("M"), true, milliseconds: 250), .duck(AudioModel.id("M"), false, milliseconds: 500),
            ])
    }

    @Test("a prompt that stays active without sound ducks for ten seconds; without a limit it ducks all the time")
    func promptWithoutSoundStopsDuckingAfterTenSeconds() {
        for isUnlimited in [false, true] {
            var rules = AudioArbiter.Rules()
            if isUnlimited { rules.idleDuckTimeout = nil }
            var model = AudioModel(rules: rules)
            model.play("M")
            model.play("N")
            model.wait(60)
            #expect(model.isDucked("M"), "a prompt stopped ducking while it was running")
            model.stopAudio("N")
            model.wait(9.9)
            #expect(model.isDucked("M"))
            model.wait(50)
            #expect(model.isDucked("M") == isUnlimited)
            let isLogged = model.actions.contains { if case .log(AudioModel.id("N"), _) = $0 { true } else { false } }
            #expect(isLogged != isUnlimited)
            model.startAudio("N")
            #expect(model.isDucked("M"))
        }
    }

    @Test("a session that activates during a duck starts ducked; after the duck it starts at full level")
    func sessionActivatedWhileAnotherDucksStartsDucked() {
        var model = AudioModel()
        model.play("T")
        model.add("M")
        let firstActivation = model.perform { $0.activate(AudioModel.id("M"), now: $1) }
        #expect(firstActivation.contains(.activated(AudioModel.id("M"), epoch: 1, isDucked: true, isSilenced: false)))
        #expect(!firstActivation.contains { if case .duck = $0 { true } else { false } })
        #expect(model.activationState("T") == .active)
        model.deactivate("M")
        model.deactivate("T")
        let secondActivation = model.perform { $0.activate(AudioModel.id("M"), now: $1) }
        #expect(secondActivation.contains(.activated(AudioModel.id("M"), epoch: 2, isDucked: false, isSilenced: false)))
    }
}
