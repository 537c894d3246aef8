import Testing

@testable import AudioPolicy

/// Tests the requests of programs to configure, activate and deactivate their sessions. Programs have the one-letter
/// names of ``AudioModel/configurations``.
@Suite struct AudioArbiterActivationTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), endedWithResuming = Notice.ended(shouldResume: true),
        endedWithoutResuming = Notice.ended(shouldResume: false)

    @Test("an active session that is activated again receives the same reply, and no other session changes")
    func repeatedActivationHasNoEffect() {
        var model = AudioModel()
        model.play("M")
        model.play("G")
        let stateBefore = model.arbiter
        let actions = model.perform { $0.activate(AudioModel.id("M"), now: $1) }
        #expect(actions == [.activated(AudioModel.id("M"), epoch: 1, isDucked: false, isSilenced: false)])
        #expect(model.arbiter == stateBefore)
    }

    @Test("a session with a known identifier is not added again")
    func knownSessionIsNotAddedAgain() {
        var model = AudioModel()
        model.play("M")
        let stateBefore = model.arbiter
        let actions = model.perform {
            $0.add(AudioModel.id("M"), visibility: .background, mayPlayInBackground: false, now: $1)
        }
        #expect(actions.isEmpty && model.arbiter == stateBefore)
    }

    @Test(
        "a background session that stops mixing must pass the activation rules, and otherwise keeps its configuration")
    func backgroundSessionMayNotStopMixing() throws {
        var model = AudioModel()
        model.play("M")
        model.play("X")
        model.setVisibility("X", .background)
        let configurationBefore = model.session("X")?.configuration
        let exclusiveConfiguration = try AudioConfiguration(category: .playback)
        let actions = model.perform { $0.configure(AudioModel.id("X"), exclusiveConfiguration, now: $1) }
        #expect(actions == [.requestCompleted(AudioModel.id("X"), .cannotInterruptOthers)])
        #expect(model.session("X")?.configuration == configurationBefore)
        #expect(model.activationState("M") == .active && model.activationState("X") == .active)
    }

    @Test("a call interrupts a program's right to activate only while it fills the screen or is accepted")
    func callBannerPermitsActivations() {
        var model = AudioModel()
        model.add("S")
        model.perform { $0.setPhoneCall(.ringing(isBanner: true), now: $1) }
        #expect(model.activate("S") == nil)
        model.perform { $0.deactivate(AudioModel.id("S"), notifiesOthers: true, now: $1) }
        model.perform { $0.setPhoneCall(.ringing(isBanner: false), now: $1) }
        #expect(model.activate("S") == .insufficientPriority)
        model.perform { $0.setPhoneCall(.none, now: $1) }
        #expect(model.activate("S") == nil)
    }

    @Test("an ambient session may be activated on a locked screen or with the silent switch, and starts silenced")
    func ambientSessionStartsSilenced() {
        for isLocked in [false, true] {
            var model = AudioModel()
            model.add("G", mayPlayInBackground: false)
            model.perform { isLocked ? $0.setLocked(true, now: $1) : $0.setSilent(true, now: $1) }
            let actions = model.perform { $0.activate(AudioModel.id("G"), now: $1) }
            #expect(actions.last == .activated(AudioModel.id("G"), epoch: 1, isDucked: false, isSilenced: true))
        }
    }

    @Test("an active session that becomes ambient is muted at once while the silent switch is on")
    func sessionThatBecomesAmbientIsSilenced() throws {
        var model = AudioModel()
        model.play("M")
        model.perform { $0.setSilent(true, now: $1) }
        #expect(model.session("M")?.isSilenced == false)
        for (category, isOpen) in [(AudioCategory.ambient, false), (.playback, true)] {
            let configuration = try AudioConfiguration(category: category)
            let actions = model.perform { $0.configure(AudioModel.id("M"), configuration, now: $1) }
            #expect(actions.contains(.gate(AudioModel.id("M"), isOpen: isOpen, milliseconds: 50)))
        }
    }

    @Test("a background session that was told to resume may be activated for three seconds", arguments: [2.9, 3])
    func rightToResumeInTheBackgroundExpires(seconds: Double) {
        var model = AudioModel()
        model.play("M")
        model.setVisibility("M", .background)
        model.play("K")
        model.deactivate("K")
        #expect(model.takeNotices("M") == [Self.began, Self.endedWithResuming])
        model.wait(seconds)
        #expect(model.activate("M") == (seconds < 3 ? nil : .cannotInterruptOthers))
    }

    @Test("in the background, recording starts only with the right, without mixing, and if the program already renders")
    func recordingInTheBackgroundIsRestricted() throws {
        var model = AudioModel()
        model.add("W")
        model.setVisibility("W", .background)
        #expect(model.activate("W") == .cannotInterruptOthers, "the program does not render")
        model.startAudio("W")
        #expect(model.activate("W") == nil)
        model.deactivate("W")
        model.startAudio("W")
        let mixingConfiguration = try AudioConfiguration(category: .playAndRecord, options: .mixWithOthers)
        model.perform { $0.configure(AudioModel.id("W"), mixingConfiguration, now: $1) }
        #expect(model.activate("W") == .cannotStartRecording, "the session mixes")
        model.add("R", mayPlayInBackground: false)
        model.setVisibility("R", .background)
        model.startAudio("R")
        #expect(model.activate("R") == .cannotStartRecording, "the program has no right")
    }

    @Test("a session without output is never ducked, whichever of the two sessions is activated first")
    func recordingSessionIsNotDucked() {
        for names in [["R", "N"], ["N", "R"]] {
            var model = AudioModel()
            for name in names { model.play(name) }
            #expect(model.activationState("R") == .active && !model.isDucked("R"), "\(names)")
        }
    }

    @Test("a session that two sessions interrupted is notified after both have ended")
    func interruptionEndsAfterItsLastCause() {
        var model = AudioModel()
        for name in ["M", "V", "K"] { model.play(name) }
        #expect(model.takeNotices("M") == [Self.began])
        model.deactivate("V")
        #expect(model.takeNotices("M").isEmpty && model.activationState("M") == .interrupted)
        model.deactivate("K")
        #expect(model.takeNotices("M") == [Self.endedWithResuming] && model.activationState("M") == .inactive)
    }

    @Test("if one of two causes forbids resuming, the session is not told to resume", arguments: [false, true])
    func oneCauseForbidsResuming(firstNotifies: Bool) {
        var model = AudioModel()
        for name in ["M", "V", "K"] { model.play(name) }
        _ = model.takeNotices("M")
        model.deactivate("V", notifiesOthers: firstNotifies)
        model.deactivate("K", notifiesOthers: !firstNotifies)
        #expect(model.takeNotices("M") == [Self.endedWithoutResuming])
    }

    @Test("an earlier interruption that forbade resuming does not affect the next interruption")
    func nextInterruptionMayResume() {
        var model = AudioModel()
        model.play("M")
        model.play("V")
        model.deactivate("V", notifiesOthers: false)
        model.play("M")
        model.play("V")
        _ = model.takeNotices("M")
        model.deactivate("V")
        #expect(model.takeNotices("M") == [Self.endedWithResuming])
    }

    @Test("an interrupted session that is deactivated is already mute, and is not notified afterwards")
    func interruptedSessionMayBeDeactivated() {
        var model = AudioModel()
        model.play("M")
        model.play("V")
        _ = model.takeNotices("M")
        let actions = model.perform { $0.deactivate(AudioModel.id("M"), notifiesOthers: true, now: $1) }
        #expect(actions.last == .requestCompleted(AudioModel.id("M"), nil))
        #expect(!actions.contains(.gate(AudioModel.id("M"), isOpen: false, milliseconds: 30)))
        model.deactivate("V")
        #expect(model.takeNotices("M").isEmpty && model.activationState("M") == .inactive)
    }

    @Test("the configuration of an inactive session affects no other session")
    func configurationOfAnInactiveSessionHasNoEffect() throws {
        var model = AudioModel()
        model.play("M")
        model.add("V")
        let configuration = try AudioConfiguration(category: .playback, mode: .spokenAudio, options: .duckOthers)
        let actions = model.perform { $0.configure(AudioModel.id("V"), configuration, now: $1) }
        #expect(actions == [.requestCompleted(AudioModel.id("V"), nil)])
        #expect(model.session("V")?.configuration == configuration && !model.isDucked("M"))
    }

    @Test("an active session that begins to duck others lowers their gain, and restores it when it stops ducking")
    func configurationMayBeginAndEndDucking() throws {
        var model = AudioModel()
        model.play("M")
        model.play("X")
        let configurations = [(AudioCategoryOptions.duckOthers, true, 250), (.mixWithOthers, false, 500)]
        for (options, isDucked, milliseconds) in configurations {
            let configuration = try AudioConfiguration(category: .playback, options: options)
            let actions = model.perform { $0.configure(AudioModel.id("X"), configuration, now: $1) }
            #expect(actions.contains(.duck(AudioModel.id("M"), isDucked, milliseconds: milliseconds)))
            #expect(model.isDucked("M") == isDucked)
        }
    }
}
