import Testing

@testable import AudioPolicy

/// The scenarios of section 7 as far as the rules alone decide them; what is heard is tested with real processes.
@Suite struct AudioArbiterTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), resume = Notice.ended(shouldResume: true),
        over = Notice.ended(shouldResume: false)

    // MARK: A

    @Test("S01: who activates beside music is told nothing, and reads the hint")
    func s01() {
        var world = AudioWorld()
        world.play("M")
        world.play("G")
        #expect(world.session("G")?.properties.secondaryAudioShouldBeSilenced == true && world.notices.isEmpty)
        #expect(world.claim("M") == .active && !world.isDucked("M"))
    }

    @Test("S02, S04: the hint comes with the sound, and goes a second after it; a gap between tracks is none")
    func hints() {
        var world = AudioWorld()
        world.play("G")
        world.add("M")
        world.activate("M")
        world.wait(0.3)
        #expect(world.heard("G").isEmpty, "not at the activation")
        world.run("M")
        #expect(world.heard("G") == [.hint(true)])
        world.wait(10)
        world.stop("M")
        world.wait(0.4)
        world.run("M")
        world.wait(5)
        #expect(world.heard("G").isEmpty)
        world.stop("M")
        world.wait(0.99)
        #expect(world.heard("G").isEmpty)
        world.wait(0.02)
        #expect(world.heard("G") == [.hint(false)] && world.heard("M").isEmpty)
    }

    @Test("S05: in the background nobody is told, and the property is right all the same")
    func s05() {
        var world = AudioWorld()
        world.play("G")
        world.put("G", .background)
        world.play("M")
        #expect(world.session("G")?.properties.secondaryAudioShouldBeSilenced == true)
        world.put("G", .foreground)
        #expect(world.heard("G").isEmpty && world.session("G")?.properties.secondaryAudioShouldBeSilenced == true)
        world.stop("M")
        world.wait(2)
        #expect(world.heard("G") == [.hint(false)])
    }

    @Test("S06: sound that mixes is other audio, and no hint")
    func s06() {
        var world = AudioWorld()
        world.play("X")
        world.play("G")
        #expect(world.session("G")?.properties.isOtherAudioPlaying == true)
        #expect(world.session("G")?.properties.secondaryAudioShouldBeSilenced == false)
        world.play("M")
        #expect(world.heard("G") == [.hint(true)] && world.heard("X") == [.hint(true)] && world.claim("X") == .active)
    }

    // MARK: B

    @Test("S08, S09: gate, word, answer, in this order; who leaves with notice gives the sound back")
    func s08() {
        var world = AudioWorld()
        world.play("M")
        world.add("V")
        let (m, v) = (AudioWorld.id("M"), AudioWorld.id("V"))
        let new = world.take { $0.activate(v, now: $1) }
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
        world.run("V")
        _ = world.heard("M")
        world.leave("V")
        #expect(world.heard("M") == [Self.resume])
        #expect(world.activate("M") == nil && world.session("M")?.epoch == 2)
    }

    @Test(
        "S08, S09: who takes the place of another, or comes back to its own, hears no hint of what is over for it; who plays beside them does"
    )
    func hintsAreNotForWhoIsAlone() {
        var world = AudioWorld()
        world.play("M")
        world.play("G")
        world.play("V")
        #expect(world.session("V")?.properties.secondaryAudioShouldBeSilenced == false)
        world.wait(5)
        #expect(world.heard("V").isEmpty && world.heard("M") == [Self.began])
        world.leave("V")
        #expect(world.heard("M") == [Self.resume])
        world.activate("M")
        world.run("M")
        #expect(world.session("M")?.properties.secondaryAudioShouldBeSilenced == false)
        world.wait(5)
        #expect(
            world.heard("M").isEmpty && world.heard("V").isEmpty && world.heard("G").isEmpty,
            "there was a sound beside it all the time")
    }

    @Test("S10, S11: without notice nothing is resumed; who is killed gives the sound back")
    func s10() {
        for (isKilled, expected) in [(false, Self.over), (true, Self.resume)] {
            var world = AudioWorld()
            world.play("M")
            world.play("V")
            _ = world.heard("M")
            if isKilled { world.die("V") } else { world.leave("V", isNotified: false) }
            #expect(world.heard("M") == [expected])
        }
    }

    @Test("S13: who was paused before the interruption is not told to resume")
    func s13() {
        var world = AudioWorld()
        world.play("M")
        world.stop("M")
        world.play("V")
        #expect(world.heard("M") == [Self.began])
        world.leave("V")
        #expect(world.heard("M") == [Self.over])
    }

    @Test("S15: a call between two players frees the newer one alone")
    func s15() {
        var world = AudioWorld()
        world.play("M")
        world.play("V")
        world.take { $0.callComes(isBanner: false, now: $1) }
        #expect(world.heard("V") == [Self.began] && world.heard("M") == [Self.began])
        world.stop("V")
        world.take { $0.callEnds(now: $1) }
        #expect(world.heard("V") == [Self.resume] && world.heard("M").isEmpty)
        world.play("V")
        world.leave("V")
        #expect(world.heard("M") == [Self.resume])
    }

    @Test("S16, S17: who leaves during the call, alive or not, gives back after it", arguments: [false, true])
    func s16(isKilled: Bool) {
        var world = AudioWorld()
        world.play("M")
        world.play("V")
        world.take { $0.callComes(isBanner: false, now: $1) }
        _ = (world.heard("M"), world.heard("V"))
        if isKilled { world.die("V") } else { world.leave("V") }
        #expect(world.heard("M").isEmpty, "the call lasts")
        world.take { $0.callEnds(now: $1) }
        #expect(world.heard("V").isEmpty && world.heard("M") == [Self.resume])
    }

    @Test("S18: who was set free and does not come back goes on holding, but not for ever out of sight")
    func s18() {
        for isAway in [false, true] {
            var world = AudioWorld()
            world.play("M")
            world.play("V")
            world.take { $0.callComes(isBanner: false, now: $1) }
            world.take { $0.callEnds(now: $1) }
            _ = (world.heard("M"), world.heard("V"))
            world.wait(600)
            #expect(world.heard("M").isEmpty)
            if isAway {
                world.play("K")
                world.leave("K")
                _ = world.heard("M")
                world.put("V", .background)
                world.wait(59)
                #expect(world.heard("M").isEmpty)
                world.wait(2)
                #expect(world.heard("M") == [Self.over])
            } else {
                world.leave("V")
                #expect(world.heard("M") == [Self.resume])
            }
        }
    }

    @Test("S19: who takes the sound back by hand owes it to nobody")
    func s19() {
        var world = AudioWorld()
        world.play("M")
        world.play("V")
        _ = world.heard("M")
        world.activate("M")
        #expect(world.heard("V") == [Self.began] && world.heard("M").isEmpty)
        world.leave("V")
        #expect(world.heard("M").isEmpty && world.claim("M") == .active)
    }

    @Test("S21, S22, S23: what may not begin in the background, and a press on the floating window's button, which may")
    func background() {
        var world = AudioWorld()
        world.play("M")
        for name in ["K", "G", "S", "R"] {
            world.add(name)
            world.put(name, .background)
        }
        let before = world.actions.count
        #expect(world.activate("K") == .cannotInterruptOthers)
        #expect(world.activate("G") == .cannotStartPlaying && world.activate("S") == .cannotStartPlaying)
        #expect(world.activate("R") == .cannotInterruptOthers)
        #expect(world.actions.count == before + 4 && world.notices.isEmpty, "nobody else notices anything")
        world.put("K", .pictureInPicture)
        #expect(world.activate("K") == .cannotInterruptOthers, "the user listens to somebody else")
        #expect(world.activate("K", hasGesture: true) == nil && world.heard("M") == [Self.began])
        world.put("M", .background)
        #expect(world.activate("M") == .cannotInterruptOthers)
        world.leave("K")
        #expect(world.activate("K") == nil, "it is what the user listens to now, wherever it is")
        world.add("T", mayPlayInBackground: false)
        world.put("T", .background)
        #expect(world.activate("T") == .cannotStartPlaying)
    }

    @Test("from the background who is told to go on may, and who takes nobody's place")
    func fromTheBackground() {
        var world = AudioWorld()
        world.add("V")
        world.put("V", .background)
        #expect(world.activate("V") == nil, "nobody is listened to")
        world.leave("V")
        world.play("M")
        world.put("M", .background)
        world.play("K")
        #expect(world.activate("M") == .cannotInterruptOthers)
        world.leave("K")
        #expect(world.activate("M") == nil, "it was told to go on")
    }

    @Test("S24: who begins to mix lets go of those whom it would not interrupt any more")
    func s24() throws {
        var world = AudioWorld()
        world.play("M")
        world.play("V")
        _ = world.heard("M")
        let mixing = try AudioConfiguration(category: .playback, options: .mixWithOthers),
            alone = try AudioConfiguration(category: .playback)
        world.take { $0.configure(AudioWorld.id("V"), mixing, now: $1) }
        #expect(world.heard("M") == [Self.resume] && world.claim("V") == .active)
        world.play("M")
        world.take { $0.configure(AudioWorld.id("V"), alone, now: $1) }
        #expect(world.heard("M") == [Self.began])
    }
}
