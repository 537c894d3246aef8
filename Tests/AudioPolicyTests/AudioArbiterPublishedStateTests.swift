import Testing

@testable import AudioPolicy

/// Tests the state that programs can read: the properties of their sessions, the now playing program, and the state of
/// the audio that does not mix.
@Suite struct AudioArbiterPublishedStateTests {
    @Test("the last program that activated a playback session that does not mix is the now playing program")
    func nowPlayingProgramFollowsExclusivePlayback() {
        var model = AudioModel()
        #expect(model.arbiter.nowPlayingClient == nil)
        for name in ["G", "S", "X", "N", "R", "W"] {
            model.play(name)
            #expect(model.arbiter.nowPlayingClient == nil, "\(name)")
            model.deactivate(name)
        }
        for name in ["M", "V", "P"] {
            model.play(name)
            #expect(model.arbiter.nowPlayingClient == AudioModel.id(name).client)
        }
        model.play("G")
        #expect(model.arbiter.nowPlayingClient == AudioModel.id("P").client)
    }

    @Test("only the now playing program has the property, and each change is sent to both programs")
    func nowPlayingPropertyMoves() {
        var model = AudioModel()
        model.play("M")
        #expect(model.session("M")?.properties.isNowPlaying == true)
        model.play("V")
        #expect(model.session("M")?.properties.isNowPlaying == false)
        #expect(model.session("V")?.properties.isNowPlaying == true)
        model.crash("V")
        #expect(model.session("M")?.properties.isNowPlaying == false && model.arbiter.nowPlayingClient == nil)
    }

    @Test("the now playing program keeps this state until its last session is removed")
    func nowPlayingProgramEndsWithItsLastSession() {
        var model = AudioModel()
        model.play("M")
        let secondID = model.addSecondSession(of: "M")
        model.deactivate("M")
        #expect(model.arbiter.nowPlayingClient == secondID.client)
        model.perform { $0.remove(AudioModel.id("M"), now: $1) }
        #expect(model.arbiter.nowPlayingClient == secondID.client)
        model.perform { $0.remove(secondID, now: $1) }
        #expect(model.arbiter.nowPlayingClient == nil)
    }

    @Test("other audio plays while another program renders, and is audible while its session is active or interrupted")
    func otherAudioPropertiesDescribeOtherPrograms() {
        var model = AudioModel()
        model.add("G")
        /// Returns the two properties of the session G: whether other audio plays, and whether it is audible.
        func otherAudio() -> [Bool?] {
            let properties = model.session("G")?.properties
            return [properties?.isOtherAudioPlaying, properties?.isOtherAudioAudible]
        }
        model.add("M")
        model.activate("M")
        #expect(otherAudio() == [false, true], "the other session is active and does not render")
        model.startAudio("M")
        #expect(otherAudio() == [true, true])
        model.perform { $0.setPhoneCall(.accepted, now: $1) }
        #expect(otherAudio() == [false, true], "the other session is interrupted")
        model.perform { $0.deactivate(AudioModel.id("M"), notifiesOthers: true, now: $1) }
        #expect(otherAudio() == [false, false], "the other session is inactive, although it renders")
    }

    @Test("the sessions of the same program are not other audio")
    func sessionsOfOneProgramAreNotOtherAudio() {
        var model = AudioModel()
        model.play("M")
        let secondID = model.addSecondSession(of: "M")
        let properties = model.arbiter.session(secondID)?.properties
        #expect(properties?.isOtherAudioPlaying == false && properties?.isOtherAudioAudible == false)
        #expect(properties?.secondaryAudioShouldBeSilenced == false && properties?.isNowPlaying == true)
    }

    @Test("a program that repeats its rendering state causes no action")
    func repeatedRenderingStateCausesNoAction() {
        var model = AudioModel()
        model.play("M")
        model.play("G")
        for isRunning in [true, false, true] {
            model.perform { $0.setRunning(isRunning, of: AudioModel.id("M"), now: $1) }
            let stateBefore = model.arbiter
            let actions = model.perform { $0.setRunning(isRunning, of: AudioModel.id("M"), now: $1 + 1) }
            #expect(actions.isEmpty && model.arbiter == stateBefore)
        }
    }

    @Test("the music of an exited program counts as audible for one more second")
    func audioOfAnExitedProgramCountsForASecond() {
        var model = AudioModel()
        model.play("M")
        model.play("G")
        model.crash("M")
        #expect(model.session("G")?.properties.secondaryAudioShouldBeSilenced == true)
        model.wait(0.999)
        #expect(model.session("G")?.properties.secondaryAudioShouldBeSilenced == true)
        model.wait(0.001)
        #expect(model.session("G")?.properties.secondaryAudioShouldBeSilenced == false)
        #expect(model.arbiter.deadline == nil)
    }

    @Test("the state of exclusive audio tells whether it is audible, and whether its session is active or interrupted")
    func exclusiveAudioStateIgnoresMixingSessions() {
        var model = AudioModel()
        /// Returns whether exclusive audio is audible, and whether an exclusive session exists.
        func state() -> [Bool] {
            [model.arbiter.exclusiveAudioState.isAudible, model.arbiter.exclusiveAudioState.hasExclusiveSession]
        }
        for name in ["G", "X", "N"] { model.play(name) }
        #expect(state() == [false, false], "all sessions mix")
        model.add("M")
        #expect(state() == [false, false], "the session is inactive")
        model.activate("M")
        #expect(state() == [false, true], "the session is paused")
        model.startAudio("M")
        #expect(state() == [true, true])
        model.perform { $0.setPhoneCall(.accepted, now: $1) }
        #expect(state() == [false, true], "the session is interrupted")
        model.crash("M")
        #expect(state() == [false, false])
    }

    @Test("paused sessions, and sessions that mix without ducking, cause no deadline")
    func sessionsWithoutTimedRulesHaveNoDeadline() {
        var model = AudioModel()
        for name in ["M", "G", "X"] { model.play(name) }
        #expect(model.arbiter.deadline == nil)
        model.stopAudio("M")
        #expect(model.arbiter.deadline == AudioArbiter.secondaryAudioHintDelay, "the hint ends a second later")
        model.wait(1)
        #expect(model.arbiter.deadline == nil)
    }

    @Test("identifiers are ordered by program, then by session")
    func identifiersAreSorted() {
        var arbiter = AudioArbiter()
        let ids = [(2, 0), (1, 5), (1, 3), (0, 9)].map { AudioArbiter.ID(client: UInt64($0.0), session: $0.1) }
        for id in ids { _ = arbiter.add(id, now: 0) }
        #expect(arbiter.ids == ids.reversed())
    }
}
