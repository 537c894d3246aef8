import Testing

@testable import AudioPolicy

/// Ducking, as far as the rules alone decide it; what is heard is tested with real processes.
@Suite struct AudioArbiterDuckingTests {
    private typealias Notice = AudioArbiter.Notice
    private static let began = Notice.began(.default), over = Notice.ended(shouldResume: false)

    @Test("S25, S26, S27: a prompt lowers music without a word and pauses speech with one")
    func prompts() {
        var world = AudioWorld()
        world.play("P")
        world.play("X")
        let new = { (world: inout AudioWorld) in
            world.add("N")
            return world.take { $0.activate(AudioWorld.id("N"), now: $1) }
        }(&world)
        #expect(new.contains(.duck(AudioWorld.id("X"), true, milliseconds: 250)))
        #expect(world.heard("P") == [Self.began] && world.heard("X").isEmpty && world.isDucked("X"))
        let left = world.take { $0.deactivate(AudioWorld.id("N"), isNotified: false, now: $1) }
        #expect(left.contains(.duck(AudioWorld.id("X"), false, milliseconds: 500)) && world.heard("P") == [Self.over])
    }

    @Test("S28: however many duck, once down and once up; and they do not duck each other")
    func s28() {
        var world = AudioWorld()
        world.play("M")
        for name in ["N", "T"] { world.play(name) }
        #expect(world.isDucked("M") && !world.isDucked("N") && !world.isDucked("T"))
        world.leave("N")
        #expect(world.isDucked("M"))
        world.die("T")
        let ducks = world.actions.filter { if case .duck = $0 { true } else { false } }
        #expect(
            ducks == [
                .duck(AudioWorld.id("M"), true, milliseconds: 250), .duck(AudioWorld.id("M"), false, milliseconds: 500),
            ])
    }

    @Test(
        "S30: a prompt that forgets to go lowers nobody after ten seconds, and does again when it speaks; but strictly, it does all the time"
    )
    func s30() {
        for isStrict in [false, true] {
            var rules = AudioArbiter.Rules()
            if isStrict { rules.idleDuckLimit = nil }
            var world = AudioWorld(rules: rules)
            world.play("M")
            world.play("N")
            world.wait(60)
            #expect(world.isDucked("M"), "it speaks")
            world.stop("N")
            world.wait(9.9)
            #expect(world.isDucked("M"))
            world.wait(50)
            #expect(world.isDucked("M") == isStrict)
            #expect(
                world.actions.contains { if case .note(AudioWorld.id("N"), _) = $0 { true } else { false } } != isStrict
            )
            world.run("N")
            #expect(world.isDucked("M"))
        }
    }

    @Test("S33, S34: who begins while others are lowered is born lowered; who was paused comes back as loud as it is")
    func born() {
        var world = AudioWorld()
        world.play("T")
        world.add("M")
        let new = world.take { $0.activate(AudioWorld.id("M"), now: $1) }
        #expect(new.contains(.activated(AudioWorld.id("M"), epoch: 1, isDucked: true, isSilenced: false)))
        #expect(!new.contains { if case .duck = $0 { true } else { false } } && world.claim("T") == .active)
        world.leave("M")
        world.leave("T")
        let again = world.take { $0.activate(AudioWorld.id("M"), now: $1) }
        #expect(again.contains(.activated(AudioWorld.id("M"), epoch: 2, isDucked: false, isSilenced: false)))
    }
}
