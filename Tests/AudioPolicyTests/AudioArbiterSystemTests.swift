import Testing

@testable import AudioPolicy

/// The rest of the scenarios: what the system, the devices and misbehaving programs do to the sessions.
@Suite struct AudioArbiterSystemTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), resume = Notice.ended(shouldResume: true),
        over = Notice.ended(shouldResume: false)

    // MARK: D

    @Test(
        "S35: a call takes everyone's sound, newest first, and gives it back in the other order; a duck does not outlive it"
    )
    func s35() {
        var world = AudioWorld()
        for name in ["G", "V", "N"] { world.play(name) }
        _ = (world.heard("G"), world.heard("V"), world.heard("N"))
        world.take { $0.callComes(isBanner: false, now: $1) }
        #expect(world.notices.filter { $0.notice == Self.began }.map(\.to) == ["N", "V", "G"])
        world.notices(forget: ())
        world.take { $0.callEnds(now: $1) }
        #expect(world.notices.filter { $0.notice == Self.resume }.map(\.to) == ["G", "V", "N"])
        world.play("V")
        #expect(!world.isDucked("V"))
        world.play("N")
        #expect(world.isDucked("V"))
    }

    @Test(
        "S35: during a call a film begins lowered, and what needs the microphone does not; the older film waits for the newer one"
    )
    func duringCall() {
        var world = AudioWorld()
        world.play("V")
        world.take { $0.callComes(isBanner: true, now: $1) }
        world.take { $0.callAccepted(now: $1) }
        for name in ["R", "W", "S", "K"] { world.add(name) }
        #expect(world.activate("R") == .insufficientPriority && world.activate("W") == .insufficientPriority)
        #expect(world.activate("S") == .insufficientPriority)
        world.play("K")
        #expect(world.isDucked("K") && world.session("K")?.properties.promptStyle == AudioArbiter.PromptStyle.none)
        _ = world.heard("V")
        world.take { $0.callEnds(now: $1) }
        #expect(!world.isDucked("K") && world.heard("V").isEmpty)
        world.leave("K")
        #expect(world.heard("V") == [Self.resume])
    }

    @Test("S36: a banner disturbs nobody who asked for that, until the call is accepted")
    func s36() {
        var world = AudioWorld()
        world.play("V")
        world.arbiter.setPrefersNoInterruptions(true, of: AudioWorld.id("V"))
        world.take { $0.callComes(isBanner: true, now: $1) }
        world.wait(5)
        world.take { $0.callEnds(now: $1) }
        #expect(world.heard("V").isEmpty && !world.isDucked("V"))
        world.take { $0.callComes(isBanner: true, now: $1) }
        world.take { $0.callAccepted(now: $1) }
        #expect(world.heard("V") == [Self.began])
    }

    @Test(
        "S37: switch and lock close the gates of what is beside, without a word; a film goes on behind the lock if it may"
    )
    func s37() {
        var world = AudioWorld()
        world.play("S")
        world.play("G")
        for isOn in [true, false] {
            let new = world.take { $0.setSilent(isOn, now: $1) }
            let gates = ["G", "S"].map { AudioArbiter.Action.gate(AudioWorld.id($0), isOpen: !isOn, milliseconds: 50) }
            #expect(new == gates)
        }
        #expect(world.notices.isEmpty && world.claim("S") == .active)
        for mayPlay in [true, false] {
            var world = AudioWorld()
            world.add("V", mayPlayInBackground: mayPlay)
            world.play("V")
            world.take { $0.setLocked(true, now: $1) }
            #expect(world.heard("V") == (mayPlay ? [] : [Self.began]))
            world.take { $0.setLocked(false, now: $1) }
            #expect(world.heard("V") == (mayPlay ? [] : [Self.resume]))
        }
    }

    // MARK: E

    @Test("S38: who is heard on a device that goes is interrupted for good; who was paused, or mixes, is not")
    func s38() {
        var world = AudioWorld()
        world.play("G")
        world.play("V")
        _ = world.heard("G")
        let new = world.take { $0.outputIsGone(heardBy: ["V", "G"].map(AudioWorld.id), now: $1) }
        #expect(new.first == .gate(AudioWorld.id("V"), isOpen: false, milliseconds: 5))
        #expect(world.heard("V") == [.began(.routeDisconnected)] && world.claim("G") == .active)
        world.wait(1000)
        #expect(!world.notices.contains { $0.to == "V" })
        // A call in between does not let it go on by itself.
        world.take { $0.callComes(isBanner: false, now: $1) }
        world.take { $0.callEnds(now: $1) }
        #expect(!world.heard("V").contains(Self.resume))
        #expect(world.activate("V") == nil)
    }

    @Test("a frozen program holds nobody, and hears of it when it thaws")
    func frozen() {
        var world = AudioWorld()
        world.play("M")
        world.play("V")
        _ = world.heard("M")
        world.take { $0.suspend(client: AudioWorld.id("V").client, now: $1) }
        #expect(world.heard("M") == [Self.over] && world.heard("V").isEmpty && world.claim("V") == .inactive)
        world.take { $0.thaw(client: AudioWorld.id("V").client, now: $1) }
        #expect(world.heard("V") == [.began(.appWasSuspended), Self.resume], "the sound is free: it may go on")
        world.play("V")
        world.take { $0.suspend(client: AudioWorld.id("V").client, now: $1) }
        world.play("M")
        world.take { $0.thaw(client: AudioWorld.id("V").client, now: $1) }
        #expect(world.heard("V") == [.began(.appWasSuspended), Self.over], "another program has the sound now")
    }

    @Test(
        "without the right to be heard in the background nothing begins behind the lock, and losing the right interrupts"
    )
    func lockedOut() {
        var world = AudioWorld()
        world.play("M")
        world.add("V", mayPlayInBackground: false)
        world.add("R", mayPlayInBackground: false)
        world.take { $0.setLocked(true, now: $1) }
        #expect(world.activate("V") == .cannotStartPlaying && world.activate("R") == .cannotStartRecording)
        #expect(world.activate("V", hasGesture: true) == .cannotStartPlaying, "a gesture does not unlock")
        #expect(world.heard("M").isEmpty && world.claim("M") == .active)
        world.take { $0.setMayPlayInBackground(false, of: AudioWorld.id("M").client, now: $1) }
        #expect(world.heard("M") == [Self.began])
        world.take { $0.setMayPlayInBackground(true, of: AudioWorld.id("M").client, now: $1) }
        #expect(world.heard("M") == [Self.resume])
        world.take { $0.setLocked(false, now: $1) }
        #expect(world.activate("V") == nil)
    }

    @Test("a session that does not want to be interrupted by the loss of its device plays on")
    func staysOnLoss() {
        var world = AudioWorld()
        world.play("V")
        world.arbiter.setPrefersInterruptionOnRouteDisconnect(false, of: AudioWorld.id("V"))
        world.take { $0.outputIsGone(heardBy: [AudioWorld.id("V")], now: $1) }
        #expect(world.heard("V").isEmpty && world.claim("V") == .active)
    }

    @Test("sound that still runs is told as an error, and is over; not where the rules are newer")
    func busy() {
        for hasError in [true, false] {
            var rules = AudioArbiter.Rules()
            rules.hasBusyError = hasError
            var world = AudioWorld(rules: rules)
            world.play("M")
            let new = world.take { $0.deactivate(AudioWorld.id("M"), isNotified: true, now: $1) }
            #expect(new.first == .gate(AudioWorld.id("M"), isOpen: false, milliseconds: 30))
            #expect(new.last == .done(AudioWorld.id("M"), hasError ? .isBusy : nil) && world.claim("M") == .inactive)
        }
    }

    @Test("without a device nothing is activated, and nothing else changes")
    func noDevice() {
        var world = AudioWorld()
        world.play("M")
        world.arbiter.setHasDevice(false)
        world.add("V")
        #expect(world.activate("V") == .resourceNotAvailable && world.claim("M") == .active && world.notices.isEmpty)
    }

    @Test("the end of a hint waits for who was told to resume")
    func hintWaits() {
        var world = AudioWorld()
        world.play("G")
        world.play("M")
        world.play("V")
        world.stop("M")
        #expect(world.heard("G") == [.hint(true)])
        world.leave("V")
        world.wait(2.5)
        #expect(world.heard("G").isEmpty)
        world.play("M")
        world.wait(10)
        #expect(world.heard("G").isEmpty, "it went on: nothing has changed")
        world.leave("M")
        world.wait(1.1)
        #expect(world.heard("G") == [.hint(false)])
    }

    @Test("one program's sessions do nothing to each other")
    func samePrincipal() {
        var world = AudioWorld()
        world.play("M")
        let second = AudioArbiter.ID(client: AudioWorld.id("M").client, session: 1)
        world.take { $0.add(second, now: $1) }
        world.take { $0.activate(second, now: $1) }
        #expect(world.heard("M").isEmpty && world.claim("M") == .active)
    }

    @Test("who is not known is told so")
    func unknown() {
        var world = AudioWorld()
        let nobody = AudioWorld.id("Z")
        #expect(world.take { $0.activate(nobody, now: $1) } == [.refused(nobody, .expiredSession)])
        #expect(world.take { $0.deactivate(nobody, isNotified: true, now: $1) } == [.done(nobody, .expiredSession)])
        #expect(world.take { $0.remove(nobody, now: $1) }.isEmpty)
    }
}
