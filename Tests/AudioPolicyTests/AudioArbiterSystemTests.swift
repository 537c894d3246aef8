import Testing

@testable import AudioPolicy

/// Tests the effects of phone calls, the screen lock, audio devices and misbehaving programs on the audio sessions.
/// Programs are named by the letters of ``AudioModel/configurations``.
@Suite struct AudioArbiterSystemTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), resume = Notice.ended(shouldResume: true),
        over = Notice.ended(shouldResume: false)

    // MARK: Phone calls, silent switch and screen lock

    @Test("a call interrupts the newest session first and resumes the oldest first; no session stays ducked afterwards")
    func phoneCallInterruptsNewestFirstAndResumesOldestFirst() {
        var world = AudioModel()
        for name in ["G", "V", "N"] { world.play(name) }
        _ = (world.takeNotices("G"), world.takeNotices("V"), world.takeNotices("N"))
        world.perform { $0.callArrived(isBanner: false, now: $1) }
        #expect(world.notices.filter { $0.notice == Self.began }.map(\.to) == ["N", "V", "G"])
        world.discardNotices()
        world.perform { $0.callEnded(now: $1) }
        #expect(world.notices.filter { $0.notice == Self.resume }.map(\.to) == ["G", "V", "N"])
        world.play("V")
        #expect(!world.isDucked("V"))
        world.play("N")
        #expect(world.isDucked("V"))
    }

    @Test("during a call a video starts ducked and recording is refused; the older video resumes after the newer one")
    func videoStartsDuckedDuringAPhoneCall() {
        var world = AudioModel()
        world.play("V")
        world.perform { $0.callArrived(isBanner: true, now: $1) }
        world.perform { $0.callAccepted(now: $1) }
        for name in ["R", "W", "S", "K"] { world.add(name) }
        #expect(world.activate("R") == .insufficientPriority && world.activate("W") == .insufficientPriority)
        #expect(world.activate("S") == .insufficientPriority)
        world.play("K")
        #expect(world.isDucked("K") && world.session("K")?.properties.promptStyle == AudioArbiter.PromptStyle.none)
        _ = world.takeNotices("V")
        world.perform { $0.callEnded(now: $1) }
        #expect(!world.isDucked("K") && world.takeNotices("V").isEmpty)
        world.deactivate("K")
        #expect(world.takeNotices("V") == [Self.resume])
    }

    @Test("a call banner does not interrupt a session that opted out, until the call is accepted")
    func callBannerDoesNotInterruptOptedOutSession() {
        var world = AudioModel()
        world.play("V")
        world.arbiter.setPrefersNoInterruptions(true, of: AudioModel.id("V"))
        world.perform { $0.callArrived(isBanner: true, now: $1) }
        world.wait(5)
        world.perform { $0.callEnded(now: $1) }
        #expect(world.takeNotices("V").isEmpty && !world.isDucked("V"))
        world.perform { $0.callArrived(isBanner: true, now: $1) }
        world.perform { $0.callAccepted(now: $1) }
        #expect(world.takeNotices("V") == [Self.began])
    }

    @Test("the silent switch mutes ambient sessions; a locked screen interrupts a video without background playback")
    func silentSwitchMutesAmbientSessionsAndScreenLockMayInterrupt() {
        var world = AudioModel()
        world.play("S")
        world.play("G")
        for isOn in [true, false] {
            let new = world.perform { $0.setSilent(isOn, now: $1) }
            let gates = ["G", "S"].map { AudioArbiter.Action.gate(AudioModel.id($0), isOpen: !isOn, milliseconds: 50) }
            #expect(new == gates)
        }
        #expect(world.notices.isEmpty && world.activationState("S") == .active)
        for mayPlay in [true, false] {
            var world = AudioModel()
            world.add("V", mayPlayInBackground: mayPlay)
            world.play("V")
            world.perform { $0.setLocked(true, now: $1) }
            #expect(world.takeNotices("V") == (mayPlay ? [] : [Self.began]))
            world.perform { $0.setLocked(false, now: $1) }
            #expect(world.takeNotices("V") == (mayPlay ? [] : [Self.resume]))
        }
    }

    // MARK: Audio devices and misbehaving programs

    @Test("a lost device interrupts a session without resuming it; sessions that mix are not interrupted")
    func lostAudioDeviceInterruptsWithoutResuming() {
        var world = AudioModel()
        world.play("G")
        world.play("V")
        _ = world.takeNotices("G")
        let new = world.perform { $0.outputRemoved(affecting: ["V", "G"].map(AudioModel.id), now: $1) }
        #expect(new.first == .gate(AudioModel.id("V"), isOpen: false, milliseconds: 5))
        #expect(world.takeNotices("V") == [.began(.routeDisconnected)] && world.activationState("G") == .active)
        world.wait(1000)
        #expect(!world.notices.contains { $0.to == "V" })
        // A phone call after the loss of the device does not resume the session.
        world.perform { $0.callArrived(isBanner: false, now: $1) }
        world.perform { $0.callEnded(now: $1) }
        #expect(!world.takeNotices("V").contains(Self.resume))
        #expect(world.activate("V") == nil)
    }

    @Test("a suspended program ends the interruptions that it caused, and is notified when it continues")
    func suspendedProgramEndsItsInterruptions() {
        var world = AudioModel()
        world.play("M")
        world.play("V")
        _ = world.takeNotices("M")
        world.perform { $0.suspend(client: AudioModel.id("V").client, now: $1) }
        #expect(
            world.takeNotices("M") == [Self.over] && world.takeNotices("V").isEmpty
                && world.activationState("V") == .inactive)
        world.perform { $0.resumeClient(client: AudioModel.id("V").client, now: $1) }
        #expect(
            world.takeNotices("V") == [.began(.appWasSuspended), Self.resume], "not resumed though no session is active"
        )
        world.play("V")
        world.perform { $0.suspend(client: AudioModel.id("V").client, now: $1) }
        world.play("M")
        world.perform { $0.resumeClient(client: AudioModel.id("V").client, now: $1) }
        #expect(
            world.takeNotices("V") == [.began(.appWasSuspended), Self.over], "resumed though another program is active")
    }

    @Test("without background playback no session activates on a locked screen; losing this right interrupts a session")
    func screenLockRequiresBackgroundPlayback() {
        var world = AudioModel()
        world.play("M")
        world.add("V", mayPlayInBackground: false)
        world.add("R", mayPlayInBackground: false)
        world.perform { $0.setLocked(true, now: $1) }
        #expect(world.activate("V") == .cannotStartPlaying && world.activate("R") == .cannotStartRecording)
        #expect(world.activate("V", hasGesture: true) == .cannotStartPlaying, "a gesture bypassed the lock")
        #expect(world.takeNotices("M").isEmpty && world.activationState("M") == .active)
        world.perform { $0.setMayPlayInBackground(false, of: AudioModel.id("M").client, now: $1) }
        #expect(world.takeNotices("M") == [Self.began])
        world.perform { $0.setMayPlayInBackground(true, of: AudioModel.id("M").client, now: $1) }
        #expect(world.takeNotices("M") == [Self.resume])
        world.perform { $0.setLocked(false, now: $1) }
        #expect(world.activate("V") == nil)
    }

    @Test("a session that opts out of interruptions by device loss plays on")
    func optedOutSessionPlaysOnAfterDeviceLoss() {
        var world = AudioModel()
        world.play("V")
        world.arbiter.setPrefersInterruptionOnRouteDisconnect(false, of: AudioModel.id("V"))
        world.perform { $0.outputRemoved(affecting: [AudioModel.id("V")], now: $1) }
        #expect(world.takeNotices("V").isEmpty && world.activationState("V") == .active)
    }

    @Test("deactivating a running session stops it and reports isBusy, if the rules have that error")
    func deactivatingARunningSessionReportsBusy() {
        for hasError in [true, false] {
            var rules = AudioArbiter.Rules()
            rules.reportsBusyOnDeactivation = hasError
            var world = AudioModel(rules: rules)
            world.play("M")
            let new = world.perform { $0.deactivate(AudioModel.id("M"), notifiesOthers: true, now: $1) }
            #expect(new.first == .gate(AudioModel.id("M"), isOpen: false, milliseconds: 30))
            #expect(
                new.last == .requestCompleted(AudioModel.id("M"), hasError ? .isBusy : nil)
                    && world.activationState("M") == .inactive)
        }
    }

    @Test("without a device activation fails and changes no other session")
    func activationFailsWithoutAnAudioDevice() {
        var world = AudioModel()
        world.play("M")
        world.arbiter.setHasDevice(false)
        world.add("V")
        #expect(
            world.activate("V") == .resourceNotAvailable && world.activationState("M") == .active
                && world.notices.isEmpty)
    }

    @Test("the hint to silence secondary audio does not end while another session is about to resume")
    func silenceHintEndsOnlyAfterAResumingSessionHasStopped() {
        var world = AudioModel()
        world.play("G")
        world.play("M")
        world.play("V")
        world.stopAudio("M")
        #expect(world.takeNotices("G") == [.silenceSecondaryAudioHint(true)])
        world.deactivate("V")
        world.wait(2.5)
        #expect(world.takeNotices("G").isEmpty)
        world.play("M")
        world.wait(10)
        #expect(world.takeNotices("G").isEmpty, "a hint was sent, although the session resumed")
        world.deactivate("M")
        world.wait(1.1)
        #expect(world.takeNotices("G") == [.silenceSecondaryAudioHint(false)])
    }

    @Test("sessions of one program do not interrupt each other")
    func sessionsOfOneProgramDoNotInterrupt() {
        var world = AudioModel()
        world.play("M")
        let second = AudioArbiter.ID(client: AudioModel.id("M").client, session: 1)
        world.perform { $0.add(second, now: $1) }
        world.perform { $0.activate(second, now: $1) }
        #expect(world.takeNotices("M").isEmpty && world.activationState("M") == .active)
    }

    @Test("requests of an unknown session fail with expiredSession")
    func requestsOfAnUnknownSessionFailAsExpired() {
        var world = AudioModel()
        let nobody = AudioModel.id("Z")
        #expect(world.perform { $0.activate(nobody, now: $1) } == [.refused(nobody, .expiredSession)])
        let actions = world.perform { $0.deactivate(nobody, notifiesOthers: true, now: $1) }
        #expect(actions == [.requestCompleted(nobody, .expiredSession)])
        #expect(world.perform { $0.remove(nobody, now: $1) }.isEmpty)
    }
}
