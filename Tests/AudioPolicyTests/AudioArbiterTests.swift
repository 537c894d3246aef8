import Testing

@testable import AudioPolicy

/// Tests the decisions of the audio arbiter about hints to silence secondary audio, interruptions and permissions.
/// End-to-end tests check the audible result. Programs have the one-letter names of ``AudioModel/configurations``.
@Suite struct AudioArbiterTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), endedWithResuming = Notice.ended(shouldResume: true),
        endedWithoutResuming = Notice.ended(shouldResume: false)

    // MARK: Hints to silence secondary audio

    @Test("activating beside music sends no notification, but sets secondaryAudioShouldBeSilenced")
    func activatingBesideMusicSetsTheSilenceHintProperty() {
        var model = AudioModel()
        model.play("M")
        model.play("G")
        #expect(model.session("G")?.properties.secondaryAudioShouldBeSilenced == true && model.notices.isEmpty)
        #expect(model.activationState("M") == .active && !model.isDucked("M"))
    }

    @Test("the silence hint begins with other audio and ends a second after it; a gap between tracks does not end it")
    func silenceHintBeginsAndEndsWithTheOtherAudio() {
        var model = AudioModel()
        model.play("G")
        model.add("M")
        model.activate("M")
        model.wait(0.3)
        #expect(model.takeNotices("G").isEmpty, "the hint began at the activation")
        model.startAudio("M")
        #expect(model.takeNotices("G") == [.silenceSecondaryAudioHint(true)])
        model.wait(10)
        model.stopAudio("M")
        model.wait(0.4)
        model.startAudio("M")
        model.wait(5)
        #expect(model.takeNotices("G").isEmpty)
        model.stopAudio("M")
        model.wait(0.99)
        #expect(model.takeNotices("G").isEmpty)
        model.wait(0.02)
        #expect(model.takeNotices("G") == [.silenceSecondaryAudioHint(false)] && model.takeNotices("M").isEmpty)
    }

    @Test("a background program receives no silence hint, but its secondaryAudioShouldBeSilenced is correct")
    func backgroundProgramReceivesNoSilenceHint() {
        var model = AudioModel()
        model.play("G")
        model.setVisibility("G", .background)
        model.play("M")
        #expect(model.session("G")?.properties.secondaryAudioShouldBeSilenced == true)
        model.setVisibility("G", .foreground)
        #expect(model.takeNotices("G").isEmpty && model.session("G")?.properties.secondaryAudioShouldBeSilenced == true)
        model.stopAudio("M")
        model.wait(2)
        #expect(model.takeNotices("G") == [.silenceSecondaryAudioHint(false)])
    }

    @Test("audio that mixes counts as other audio, but causes no hint")
    func mixingAudioCausesNoSilenceHint() {
        var model = AudioModel()
        model.play("X")
        model.play("G")
        #expect(model.session("G")?.properties.isOtherAudioPlaying == true)
        #expect(model.session("G")?.properties.secondaryAudioShouldBeSilenced == false)
        model.play("M")
        #expect(
            model.takeNotices("G") == [.silenceSecondaryAudioHint(true)]
                && model.takeNotices("X") == [.silenceSecondaryAudioHint(true)]
                && model.activationState("X") == .active)
    }

    // MARK: Interruptions

    @Test("an interruption mutes, notifies, then replies; a deactivation with notification resumes the other session")
    func interruptionMutesThenNotifiesThenReplies() {
        var model = AudioModel()
        model.play("M")
        model.add("V")
        let (m, v) = (AudioModel.id("M"), AudioModel.id("V"))
        let actions = model.perform { $0.activate(v, now: $1) }
        let visibleActions = actions.filter {
            switch $0 {
            case .gate, .notify, .activated: true
            default: false
            }
        }
        #expect(
            visibleActions == [
                .gate(m, isOpen: false, milliseconds: 30), .notify(m, Self.began),
                .activated(v, epoch: 1, isDucked: false, isSilenced: false),
            ])
        model.startAudio("V")
        _ = model.takeNotices("M")
        model.deactivate("V")
        #expect(model.takeNotices("M") == [Self.endedWithResuming])
        #expect(model.activate("M") == nil && model.session("M")?.epoch == 2)
    }

    @Test("a session that replaces another, or resumes, gets no silence hint; an ambient session keeps its hint")
    func sessionThatReplacesAnotherReceivesNoSilenceHint() {
        var model = AudioModel()
        model.play("M")
        model.play("G")
        model.play("V")
        #expect(model.session("V")?.properties.secondaryAudioShouldBeSilenced == false)
        model.wait(5)
        #expect(model.takeNotices("V").isEmpty && model.takeNotices("M") == [Self.began])
        model.deactivate("V")
        #expect(model.takeNotices("M") == [Self.endedWithResuming])
        model.activate("M")
        model.startAudio("M")
        #expect(model.session("M")?.properties.secondaryAudioShouldBeSilenced == false)
        model.wait(5)
        #expect(
            model.takeNotices("M").isEmpty && model.takeNotices("V").isEmpty && model.takeNotices("G").isEmpty,
            "a hint was sent, although other audio played all the time")
    }

    @Test("a deactivation that does not notify others does not resume the other session; a crash does")
    func crashResumesTheOtherSessionButSilentDeactivationDoesNot() {
        for (crashes, expectedNotice) in [(false, Self.endedWithoutResuming), (true, Self.endedWithResuming)] {
            var model = AudioModel()
            model.play("M")
            model.play("V")
            _ = model.takeNotices("M")
            if crashes { model.crash("V") } else { model.deactivate("V", notifiesOthers: false) }
            #expect(model.takeNotices("M") == [expectedNotice])
        }
    }

    @Test("a session that was paused before the interruption is not told to resume")
    func pausedSessionIsNotNotifiedToResume() {
        var model = AudioModel()
        model.play("M")
        model.stopAudio("M")
        model.play("V")
        #expect(model.takeNotices("M") == [Self.began])
        model.deactivate("V")
        #expect(model.takeNotices("M") == [Self.endedWithoutResuming])
    }

    @Test("the end of a call resumes only the newer of two players")
    func endOfAPhoneCallResumesOnlyTheNewerPlayer() {
        var model = AudioModel()
        model.play("M")
        model.play("V")
        model.perform { $0.handleIncomingCall(isBanner: false, now: $1) }
        #expect(model.takeNotices("V") == [Self.began] && model.takeNotices("M") == [Self.began])
        model.stopAudio("V")
        model.perform { $0.handleEndOfCall(now: $1) }
        #expect(model.takeNotices("V") == [Self.endedWithResuming] && model.takeNotices("M").isEmpty)
        model.play("V")
        model.deactivate("V")
        #expect(model.takeNotices("M") == [Self.endedWithResuming])
    }

    @Test("if the newer player exits or crashes in a call, the older one resumes after it", arguments: [false, true])
    func olderPlayerResumesAfterThePhoneCallIfTheNewerEnds(crashes: Bool) {
        var model = AudioModel()
        model.play("M")
        model.play("V")
        model.perform { $0.handleIncomingCall(isBanner: false, now: $1) }
        _ = (model.takeNotices("M"), model.takeNotices("V"))
        if crashes { model.crash("V") } else { model.deactivate("V") }
        #expect(model.takeNotices("M").isEmpty, "the interruption ended during the call")
        model.perform { $0.handleEndOfCall(now: $1) }
        #expect(model.takeNotices("V").isEmpty && model.takeNotices("M") == [Self.endedWithResuming])
    }

    @Test("a player that does not resume keeps the other player interrupted, but in the background only for a minute")
    func backgroundPlayerKeepsOthersInterruptedOnlyForAMinute() {
        for isInBackground in [false, true] {
            var model = AudioModel()
            model.play("M")
            model.play("V")
            model.perform { $0.handleIncomingCall(isBanner: false, now: $1) }
            model.perform { $0.handleEndOfCall(now: $1) }
            _ = (model.takeNotices("M"), model.takeNotices("V"))
            model.wait(600)
            #expect(model.takeNotices("M").isEmpty)
            if isInBackground {
                model.play("K")
                model.deactivate("K")
                _ = model.takeNotices("M")
                model.setVisibility("V", .background)
                model.wait(59)
                #expect(model.takeNotices("M").isEmpty)
                model.wait(2)
                #expect(model.takeNotices("M") == [Self.endedWithoutResuming])
            } else {
                model.deactivate("V")
                #expect(model.takeNotices("M") == [Self.endedWithResuming])
            }
        }
    }

    @Test("an interrupted session that activates again is not notified of the end of the interruption")
    func activatingAgainEndsTheInterruptionWithoutNotification() {
        var model = AudioModel()
        model.play("M")
        model.play("V")
        _ = model.takeNotices("M")
        model.activate("M")
        #expect(model.takeNotices("V") == [Self.began] && model.takeNotices("M").isEmpty)
        model.deactivate("V")
        #expect(model.takeNotices("M").isEmpty && model.activationState("M") == .active)
    }

    @Test("a session in the background cannot interrupt others without a press in its floating window")
    func backgroundSessionCannotInterrupt() {
        var model = AudioModel()
        model.play("M")
        for name in ["K", "G", "S", "R"] {
            model.add(name)
            model.setVisibility(name, .background)
        }
        let actionCountBefore = model.actions.count
        #expect(model.activate("K") == .cannotInterruptOthers)
        #expect(model.activate("G") == .cannotStartPlaying && model.activate("S") == .cannotStartPlaying)
        #expect(model.activate("R") == .cannotInterruptOthers)
        #expect(model.actions.count == actionCountBefore + 4 && model.notices.isEmpty, "a refusal had other effects")
        model.setVisibility("K", .pictureInPicture)
        #expect(model.activate("K") == .cannotInterruptOthers, "interrupted another program without a gesture")
        #expect(model.activate("K", hasGesture: true) == nil && model.takeNotices("M") == [Self.began])
        model.setVisibility("M", .background)
        #expect(model.activate("M") == .cannotInterruptOthers)
        model.deactivate("K")
        #expect(model.activate("K") == nil, "refused, although the user listened to it last")
        model.add("T", mayPlayInBackground: false)
        model.setVisibility("T", .background)
        #expect(model.activate("T") == .cannotStartPlaying)
    }

    @Test("a background session may activate if it interrupts no other session or was told to resume")
    func backgroundSessionMayActivateIfItInterruptsNoOtherOrResumes() {
        var model = AudioModel()
        model.add("V")
        model.setVisibility("V", .background)
        #expect(model.activate("V") == nil, "refused, although no session is active")
        model.deactivate("V")
        model.play("M")
        model.setVisibility("M", .background)
        model.play("K")
        #expect(model.activate("M") == .cannotInterruptOthers)
        model.deactivate("K")
        #expect(model.activate("M") == nil, "refused, although it was told to resume")
    }

    @Test("a session that begins to mix ends the interruptions that it no longer causes")
    func changingToMixingEndsInterruptions() throws {
        var model = AudioModel()
        model.play("M")
        model.play("V")
        _ = model.takeNotices("M")
        let mixingConfiguration = try AudioConfiguration(category: .playback, options: .mixWithOthers),
            exclusiveConfiguration = try AudioConfiguration(category: .playback)
        model.perform { $0.configure(AudioModel.id("V"), mixingConfiguration, now: $1) }
        #expect(model.takeNotices("M") == [Self.endedWithResuming] && model.activationState("V") == .active)
        model.play("M")
        model.perform { $0.configure(AudioModel.id("V"), exclusiveConfiguration, now: $1) }
        #expect(model.takeNotices("M") == [Self.began])
    }
}
