import Testing

@testable import AudioPolicy

/// Tests the effects of phone calls, the screen lock, audio devices and misbehaving programs on the audio sessions.
/// Programs have the one-letter names of ``AudioModel/configurations``.
@Suite struct AudioArbiterSystemTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), endedWithResuming = Notice.ended(shouldResume: true),
        endedWithoutResuming = Notice.ended(shouldResume: false)

    // MARK: Phone calls, silent switch and screen lock

    @Test("a call interrupts the newest session first and resumes the oldest first; no session stays ducked afterwards")
    func phoneCallInterruptsNewestFirstAndResumesOldestFirst() {
        var model = AudioModel()
        for name in ["G", "V", "N"] { model.play(name) }
        _ = (model.takeNotices("G"), model.takeNotices("V"), model.takeNotices("N"))
        model.perform { $0.handleIncomingCall(isBanner: false, now: $1) }
        #expect(model.notices.filter { $0.notice == Self.began }.map(\.program) == ["N", "V", "G"])
        model.discardNotices()
        model.perform { $0.handleEndOfCall(now: $1) }
        #expect(model.notices.filter { $0.notice == Self.endedWithResuming }.map(\.program) == ["G", "V", "N"])
        model.play("V")
        #expect(!model.isDucked("V"))
        model.play("N")
        #expect(model.isDucked("V"))
    }

    @Test("during a call a video starts ducked and recording is refused; the older video resumes after the newer one")
    func videoStartsDuckedDuringAPhoneCall() {
        var model = AudioModel()
        model.play("V")
        model.perform { $0.handleIncomingCall(isBanner: true, now: $1) }
        model.perform { $0.handleAcceptedCall(now: $1) }
        for name in ["R", "W", "S", "K"] { model.add(name) }
        #expect(model.activate("R") == .insufficientPriority && model.activate("W") == .insufficientPriority)
        #expect(model.activate("S") == .insufficientPriority)
        model.play("K")
        #expect(model.isDucked("K") && model.session("K")?.properties.promptStyle == AudioArbiter.PromptStyle.none)
        _ = model.takeNotices("V")
        model.perform { $0.handleEndOfCall(now: $1) }
        #expect(!model.isDucked("K") && model.takeNotices("V").isEmpty)
        model.deactivate("K")
        #expect(model.takeNotices("V") == [Self.endedWithResuming])
    }

    @Test("a call banner does not interrupt a session that opted out, until the call is accepted")
    func callBannerDoesNotInterruptOptedOutSession() {
        var model = AudioModel()
        model.play("V")
        model.arbiter.setPrefersNoInterruptions(true, of: AudioModel.id("V"))
        model.perform { $0.handleIncomingCall(isBanner: true, now: $1) }
        model.wait(5)
        model.perform { $0.handleEndOfCall(now: $1) }
        #expect(model.takeNotices("V").isEmpty && !model.isDucked("V"))
        model.perform { $0.handleIncomingCall(isBanner: true, now: $1) }
        model.perform { $0.handleAcceptedCall(now: $1) }
        #expect(model.takeNotices("V") == [Self.began])
    }

    @Test("the silent switch mutes ambient sessions; a locked screen interrupts a video without background playback")
    func silentSwitchMutesAmbientSessionsAndScreenLockMayInterrupt() {
        var model = AudioModel()
        model.play("S")
        model.play("G")
        for isSwitchOn in [true, false] {
            let actions = model.perform { $0.setSilent(isSwitchOn, now: $1) }
            let expectedActions = ["G", "S"].map {
                AudioArbiter.Action.gate(AudioModel.id($0), isOpen: !isSwitchOn, milliseconds: 50)
            }
            #expect(actions == expectedActions)
        }
        #expect(model.notices.isEmpty && model.activationState("S") == .active)
        for mayPlay in [true, false] {
            var model = AudioModel()
            model.add("V", mayPlayInBackground: mayPlay)
            model.play("V")
            model.perform { $0.setLocked(true, now: $1) }
            #expect(model.takeNotices("V") == (mayPlay ? [] : [Self.began]))
            model.perform { $0.setLocked(false, now: $1) }
            #expect(model.takeNotices("V") == (mayPlay ? [] : [Self.endedWithResuming]))
        }
    }

    // MARK: Audio devices and misbehaving programs

    @Test("a lost device interrupts a session without resuming it; sessions that mix are not interrupted")
    func lostAudioDeviceInterruptsWithoutResuming() {
        var model = AudioModel()
        model.play("G")
        model.play("V")
        _ = model.takeNotices("G")
        let actions = model.perform { $0.handleOutputRemoval(affecting: ["V", "G"].map(AudioModel.id), now: $1) }
        #expect(actions.first == .gate(AudioModel.id("V"), isOpen: false, milliseconds: 5))
        #expect(model.takeNotices("V") == [.began(.routeDisconnected)] && model.activationState("G") == .active)
        model.wait(1000)
        #expect(!model.notices.contains { $0.program == "V" })
        // A phone call after the loss of the device does not resume the session.
        model.perform { $0.handleIncomingCall(isBanner: false, now: $1) }
        model.perform { $0.handleEndOfCall(now: $1) }
        #expect(!model.takeNotices("V").contains(Self.endedWithResuming))
        #expect(model.activate("V") == nil)
    }

    @Test("a suspended program ends the interruptions that it caused, and is notified when it continues")
    func suspendedProgramEndsItsInterruptions() {
        var model = AudioModel()
        model.play("M")
        model.play("V")
        _ = model.takeNotices("M")
        model.perform { $0.suspend(client: AudioModel.id("V").client, now: $1) }
        #expect(
            model.takeNotices("M") == [Self.endedWithoutResuming] && model.takeNotices("V").isEmpty
                && model.activationState("V") == .inactive)
        model.perform { $0.resume(client: AudioModel.id("V").client, now: $1) }
        #expect(
            model.takeNotices("V") == [.began(.appWasSuspended), Self.endedWithResuming],
            "not resumed though no session is active"
        )
        model.play("V")
        model.perform { $0.suspend(client: AudioModel.id("V").client, now: $1) }
        model.play("M")
        model.perform { $0.resume(client: AudioModel.id("V").client, now: $1) }
        #expect(
            model.takeNotices("V") == [.began(.appWasSuspended), Self.endedWithoutResuming],
            "resumed though another program is active")
    }

    @Test("without background playback no session activates on a locked screen; losing this right interrupts a session")
    func screenLockRequiresBackgroundPlayback() {
        var model = AudioModel()
        model.play("M")
        model.add("V", mayPlayInBackground: false)
        model.add("R", mayPlayInBackground: false)
        model.perform { $0.setLocked(true, now: $1) }
        #expect(model.activate("V") == .cannotStartPlaying && model.activate("R") == .cannotStartRecording)
        #expect(model.activate("V", hasGesture: true) == .cannotStartPlaying, "a gesture bypassed the lock")
        #expect(model.takeNotices("M").isEmpty && model.activationState("M") == .active)
        model.perform { $0.setMayPlayInBackground(false, of: AudioModel.id("M").client, now: $1) }
        #expect(model.takeNotices("M") == [Self.began])
        model.perform { $0.setMayPlayInBackground(true, of: AudioModel.id("M").client, now: $1) }
        #expect(model.takeNotices("M") == [Self.endedWithResuming])
        model.perform { $0.setLocked(false, now: $1) }
        #expect(model.activate("V") == nil)
    }

    @Test("a session that opts out of interruptions by device loss plays on")
    func optedOutSessionPlaysOnAfterDeviceLoss() {
        var model = AudioModel()
        model.play("V")
        model.arbiter.setPrefersInterruptionOnRouteDisconnect(false, of: AudioModel.id("V"))
        model.perform { $0.handleOutputRemoval(affecting: [AudioModel.id("V")], now: $1) }
        #expect(model.takeNotices("V").isEmpty && model.activationState("V") == .active)
    }

    @Test("deactivating a running session stops it and reports isBusy, if the rules have that error")
    func deactivatingARunningSessionReportsBusy() {
        for reportsBusy in [true, false] {
            var rules = AudioArbiter.Rules()
            rules.reportsBusyOnDeactivation = reportsBusy
            var model = AudioModel(rules: rules)
            model.play("M")
            let actions = model.perform { $0.deactivate(AudioModel.id("M"), notifiesOthers: true, now: $1) }
            #expect(actions.first == .gate(AudioModel.id("M"), isOpen: false, milliseconds: 30))
            #expect(
                actions.last == .requestCompleted(AudioModel.id("M"), reportsBusy ? .isBusy : nil)
                    && model.activationState("M") == .inactive)
        }
    }

    @Test("without a device activation fails and changes no other session")
    func activationFailsWithoutAnAudioDevice() {
        var model = AudioModel()
        model.play("M")
        model.arbiter.setHasDevice(false)
        model.add("V")
        #expect(
            model.activate("V") == .resourceNotAvailable && model.activationState("M") == .active
                && model.notices.isEmpty)
    }

    @Test("the hint to silence secondary audio does not end while another session is about to resume")
    func silenceHintEndsOnlyAfterAResumingSessionHasStopped() {
        var model = AudioModel()
        model.play("G")
        model.play("M")
        model.play("V")
        model.stopAudio("M")
        #expect(model.takeNotices("G") == [.silenceSecondaryAudioHint(true)])
        model.deactivate("V")
        model.wait(2.5)
        #expect(model.takeNotices("G").isEmpty)
        model.play("M")
        model.wait(10)
        #expect(model.takeNotices("G").isEmpty, "a hint was sent, although the session resumed")
        model.deactivate("M")
        model.wait(1.1)
        #expect(model.takeNotices("G") == [.silenceSecondaryAudioHint(false)])
    }

    @Test("sessions of one program do not interrupt each other")
    func sessionsOfOneProgramDoNotInterrupt() {
        var model = AudioModel()
        model.play("M")
        let secondSessionID = model.addSecondSession(of: "M")
        model.perform { $0.activate(secondSessionID, now: $1) }
        #expect(model.takeNotices("M").isEmpty && model.activationState("M") == .active)
    }

    @Test("requests of an unknown session fail with expiredSession")
    func requestsOfAnUnknownSessionFailAsExpired() {
        var model = AudioModel()
        let unknownID = AudioModel.id("Z")
        #expect(model.perform { $0.activate(unknownID, now: $1) } == [.refused(unknownID, .expiredSession)])
        let actions = model.perform { $0.deactivate(unknownID, notifiesOthers: true, now: $1) }
        #expect(actions == [.requestCompleted(unknownID, .expiredSession)])
        #expect(model.perform { $0.remove(unknownID, now: $1) }.isEmpty)
    }

    // MARK: Order of events

    @Test("a call advances through its states, and never returns to an earlier one")
    func phoneCallNeverReturnsToAnEarlierState() {
        var model = AudioModel()
        model.play("V")
        model.arbiter.setPrefersNoInterruptions(true, of: AudioModel.id("V"))
        model.perform { $0.setPhoneCall(.ringing(isBanner: true), now: $1) }
        #expect(model.takeNotices("V").isEmpty)
        model.perform { $0.setPhoneCall(.ringing(isBanner: false), now: $1) }
        #expect(model.takeNotices("V") == [Self.began], "the call fills the screen now")
        model.perform { $0.setPhoneCall(.accepted, now: $1) }
        let stateInCall = model.arbiter
        for earlierState in [AudioArbiter.PhoneCall.ringing(isBanner: true), .ringing(isBanner: false)] {
            let actions = model.perform { $0.setPhoneCall(earlierState, now: $1) }
            #expect(actions.isEmpty && model.arbiter == stateInCall)
        }
        model.perform { $0.setPhoneCall(.none, now: $1) }
        #expect(model.takeNotices("V") == [Self.endedWithResuming])
    }

    @Test("a program that was stopped does not resume if its session would interrupt another, or during a call")
    func stoppedProgramDoesNotResumeAgainstOthers() {
        for isInCall in [false, true] {
            var model = AudioModel()
            model.play("V")
            model.perform { $0.suspend(client: AudioModel.id("V").client, now: $1) }
            if isInCall { model.perform { $0.setPhoneCall(.accepted, now: $1) } } else { model.play("K") }
            model.perform { $0.resume(client: AudioModel.id("V").client, now: $1) }
            #expect(model.takeNotices("V") == [.began(.appWasSuspended), Self.endedWithoutResuming])
        }
    }

    @Test("only the first stop and the first continuation of a program count")
    func repeatedStopsAndContinuationsHaveNoEffect() {
        var model = AudioModel()
        model.play("V")
        let client = AudioModel.id("V").client
        let earlyActions = model.perform { $0.resume(client: client, now: $1) }
        #expect(earlyActions.isEmpty, "the program was not stopped")
        model.perform { $0.suspend(client: client, now: $1) }
        let stateBefore = model.arbiter
        let repeatedActions = model.perform { $0.suspend(client: client, now: $1) }
        #expect(repeatedActions.isEmpty && model.arbiter == stateBefore)
        model.perform { $0.resume(client: client, now: $1) }
        model.perform { $0.resume(client: client, now: $1) }
        #expect(model.takeNotices("V") == [.began(.appWasSuspended), Self.endedWithResuming])
    }

    @Test("the loss of a device interrupts neither a paused session nor a program that is not now playing")
    func lostDeviceInterruptsOnlyTheNowPlayingProgram() throws {
        var model = AudioModel()
        model.play("V")
        model.stopAudio("V")
        model.perform { $0.handleOutputRemoval(affecting: $0.ids, now: $1) }
        #expect(model.takeNotices("V").isEmpty && model.activationState("V") == .active)
        model.play("W")
        model.discardNotices()
        model.perform { $0.handleOutputRemoval(affecting: $0.ids, now: $1) }
        #expect(model.notices.isEmpty && model.activationState("W") == .active)
    }
}
