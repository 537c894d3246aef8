import Testing

@testable import AudioPolicy

/// Tests the decisions of the audio arbiter about hints to silence secondary audio, interruptions and permissions.
/// End-to-end tests check the audible result. Programs are named by the letters of ``AudioModel/configurations``.
@Suite struct AudioArbiterTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), resume = Notice.ended(shouldResume: true),
        over = Notice.ended(shouldResume: false)

    // MARK: Hints to silence secondary audio

    @Test("activating beside music sends no notification, but sets secondaryAudioShouldBeSilenced")
    func activatingBesideMusicSetsTheSilenceHintProperty() {
        var world = AudioModel()
        world.play("M")
        world.play("G")
        #expect(world.session("G")?.properties.secondaryAudioShouldBeSilenced == true && world.notices.isEmpty)
        #expect(world.activationState("M") == .active && !world.isDucked("M"))
    }

    @Test("the silence hint begins with other audio and ends a second after it; a gap between tracks does not end it")
    func silenceHintFollowsTheOtherAudio() {
        var world = AudioModel()
        world.play("G")
        world.add("M")
        world.activate("M")
        world.wait(0.3)
        #expect(world.takeNotices("G").isEmpty, "the hint began at the activation")
        world.startAudio("M")
        #expect(world.takeNotices("G") == [.silenceSecondaryAudioHint(true)])
        world.wait(10)
        world.stopAudio("M")
        world.wait(0.4)
        world.startAudio("M")
        world.wait(5)
        #expect(world.takeNotices("G").isEmpty)
        world.stopAudio("M")
        world.wait(0.99)
        #expect(world.takeNotices("G").isEmpty)
        world.wait(0.02)
        #expect(world.takeNotices("G") == [.silenceSecondaryAudioHint(false)] && world.takeNotices("M").isEmpty)
    }

    @Test("a background program receives no silence hint, but its secondaryAudioShouldBeSilenced is correct")
    func backgroundProgramReceivesNoSilenceHint() {
        var world = AudioModel()
        world.play("G")
        world.setVisibility("G", .background)
        world.play("M")
        #expect(world.session("G")?.properties.secondaryAudioShouldBeSilenced == true)
        world.setVisibility("G", .foreground)
        #expect(world.takeNotices("G").isEmpty && world.session("G")?.properties.secondaryAudioShouldBeSilenced == true)
        world.stopAudio("M")
        world.wait(2)
        #expect(world.takeNotices("G") == [.silenceSecondaryAudioHint(false)])
    }

    @Test("audio that mixes counts as other audio, but causes no hint")
    func mixingAudioCausesNoSilenceHint() {
        var world = AudioModel()
        world.play("X")
        world.play("G")
        #expect(world.session("G")?.properties.isOtherAudioPlaying == true)
        #expect(world.session("G")?.properties.secondaryAudioShouldBeSilenced == false)
        world.play("M")
        #expect(
            world.takeNotices("G") == [.silenceSecondaryAudioHint(true)]
                && world.takeNotices("X") == [.silenceSecondaryAudioHint(true)]
                && world.activationState("X") == .active)
    }

    // MARK: Interruptions

    @Test("an interruption mutes, notifies, then replies; a deactivation with notification resumes the other session")
    func interruptionMutesThenNotifiesThenReplies() {
        var world = AudioModel()
        world.play("M")
        world.add("V")
        let (m, v) = (AudioModel.id("M"), AudioModel.id("V"))
        let new = world.perform { $0.activate(v, now: $1) }
        let order = new.filter {
            switch $0 {
            case .gate, .notify, .activated: true
            default: false
            }
        }
        #expect(
            order == [
                .gate(m, isOpen: false, milliseconds: 30), .notify(m, Self.began),
                .activated(v, epoch: 1, isDucked: false, isSilenced: false),
            ])
        world.startAudio("V")
        _ = world.takeNotices("M")
        world.deactivate("V")
        #expect(world.takeNotices("M") == [Self.resume])
        #expect(world.activate("M") == nil && world.session("M")?.epoch == 2)
    }

    @Test("a session that replaces another, or resumes, gets no silence hint; an ambient session keeps its hint")
    func sessionThatReplacesAnotherReceivesNoSilenceHint() {
        var world = AudioModel()
        world.play("M")
        world.play("G")
        world.play("V")
        #expect(world.session("V")?.properties.secondaryAudioShouldBeSilenced == false)
        world.wait(5)
        #expect(world.takeNotices("V").isEmpty && world.takeNotices("M") == [Self.began])
        world.deactivate("V")
        #expect(world.takeNotices("M") == [Self.resume])
        world.activate("M")
        world.startAudio("M")
        #expect(world.session("M")?.properties.secondaryAudioShouldBeSilenced == false)
        world.wait(5)
        #expect(
            world.takeNotices("M").isEmpty && world.takeNotices("V").isEmpty && world.takeNotices("G").isEmpty,
            "a hint was sent, although other audio played all the time")
    }

    @Test("a deactivation that does not notify others does not resume the other session; a crash does")
    func deactivationWithNoticeOrCrashResumesTheOtherSession() {
        for (isKilled, expected) in [(false, Self.over), (true, Self.resume)] {
            var world = AudioModel()
            world.play("M")
            world.play("V")
            _ = world.takeNotices("M")
            if isKilled { world.crash("V") } else { world.deactivate("V", notifiesOthers: false) }
            #expect(world.takeNotices("M") == [expected])
        }
    }

    @Test("a session that was paused before the interruption is not told to resume")
    func pausedSessionIsNotToldToResume() {
        var world = AudioModel()
        world.play("M")
        world.stopAudio("M")
        world.play("V")
        #expect(world.takeNotices("M") == [Self.began])
        world.deactivate("V")
        #expect(world.takeNotices("M") == [Self.over])
    }

    @Test("the end of a call resumes only the newer of two players")
    func endOfAPhoneCallResumesOnlyTheNewerPlayer() {
        var world = AudioModel()
        world.play("M")
        world.play("V")
        world.perform { $0.callArrived(isBanner: false, now: $1) }
        #expect(world.takeNotices("V") == [Self.began] && world.takeNotices("M") == [Self.began])
        world.stopAudio("V")
        world.perform { $0.callEnded(now: $1) }
        #expect(world.takeNotices("V") == [Self.resume] && world.takeNotices("M").isEmpty)
        world.play("V")
        world.deactivate("V")
        #expect(world.takeNotices("M") == [Self.resume])
    }

    @Test("if the newer player exits or crashes in a call, the older one resumes after it", arguments: [false, true])
    func olderPlayerResumesAfterThePhoneCallIfTheNewerEnds(isKilled: Bool) {
        var world = AudioModel()
        world.play("M")
        world.play("V")
        world.perform { $0.callArrived(isBanner: false, now: $1) }
        _ = (world.takeNotices("M"), world.takeNotices("V"))
        if isKilled { world.crash("V") } else { world.deactivate("V") }
        #expect(world.takeNotices("M").isEmpty, "the interruption ended during the call")
        world.perform { $0.callEnded(now: $1) }
        #expect(world.takeNotices("V").isEmpty && world.takeNotices("M") == [Self.resume])
    }

    @Test("a player that does not resume keeps the other player interrupted, but in the background only for a minute")
    func backgroundPlayerKeepsOthersInterruptedOnlyForAMinute() {
        for isAway in [false, true] {
            var world = AudioModel()
            world.play("M")
            world.play("V")
            world.perform { $0.callArrived(isBanner: false, now: $1) }
            world.perform { $0.callEnded(now: $1) }
            _ = (world.takeNotices("M"), world.takeNotices("V"))
            world.wait(600)
            #expect(world.takeNotices("M").isEmpty)
            if isAway {
                world.play("K")
                world.deactivate("K")
                _ = world.takeNotices("M")
                world.setVisibility("V", .background)
                world.wait(59)
                #expect(world.takeNotices("M").isEmpty)
                world.wait(2)
                #expect(world.takeNotices("M") == [Self.over])
            } else {
                world.deactivate("V")
                #expect(world.takeNotices("M") == [Self.resume])
            }
        }
    }

    @Test("an interrupted session that activates again is not notified of the end of the interruption")
    func activatingAgainEndsTheInterruptionWithoutNotification() {
        var world = AudioModel()
        world.play("M")
        world.play("V")
        _ = world.takeNotices("M")
        world.activate("M")
        #expect(world.takeNotices("V") == [Self.began] && world.takeNotices("M").isEmpty)
        world.deactivate("V")
        #expect(world.takeNotices("M").isEmpty && world.activationState("M") == .active)
    }

    @Test("in the background a session cannot interrupt others; a press in the floating window can")
    func backgroundSessionCannotInterrupt() {
        var world = AudioModel()
        world.play("M")
        for name in ["K", "G", "S", "R"] {
            world.add(name)
            world.setVisibility(name, .background)
        }
        let before = world.actions.count
        #expect(world.activate("K") == .cannotInterruptOthers)
        #expect(world.activate("G") == .cannotStartPlaying && world.activate("S") == .cannotStartPlaying)
        #expect(world.activate("R") == .cannotInterruptOthers)
        #expect(world.actions.count == before + 4 && world.notices.isEmpty, "a refusal had other effects")
        world.setVisibility("K", .pictureInPicture)
        #expect(world.activate("K") == .cannotInterruptOthers, "interrupted another program without a gesture")
        #expect(world.activate("K", hasGesture: true) == nil && world.takeNotices("M") == [Self.began])
        world.setVisibility("M", .background)
        #expect(world.activate("M") == .cannotInterruptOthers)
        world.deactivate("K")
        #expect(world.activate("K") == nil, "refused, although the user listened to it last")
        world.add("T", mayPlayInBackground: false)
        world.setVisibility("T", .background)
        #expect(world.activate("T") == .cannotStartPlaying)
    }

    @Test("a background session may activate if it interrupts no other session or was told to resume")
    func backgroundSessionMayActivateIfNoneIsInterruptedOrItResumes() {
        var world = AudioModel()
        world.add("V")
        world.setVisibility("V", .background)
        #expect(world.activate("V") == nil, "refused, although no session is active")
        world.deactivate("V")
        world.play("M")
        world.setVisibility("M", .background)
        world.play("K")
        #expect(world.activate("M") == .cannotInterruptOthers)
        world.deactivate("K")
        #expect(world.activate("M") == nil, "refused, although it was told to resume")
    }

    @Test("a session that begins to mix ends the interruptions that it no longer causes")
    func changingToMixingEndsInterruptions() throws {
        var world = AudioModel()
        world.play("M")
        world.play("V")
        _ = world.takeNotices("M")
        let mixing = try AudioConfiguration(category: .playback, options: .mixWithOthers),
            alone = try AudioConfiguration(category: .playback)
        world.perform { $0.configure(AudioModel.id("V"), mixing, now: $1) }
        #expect(world.takeNotices("M") == [Self.resume] && world.activationState("V") == .active)
        world.play("M")
        world.perform { $0.configure(AudioModel.id("V"), alone, now: $1) }
        #expect(world.takeNotices("M") == [Self.began])
    }
}
