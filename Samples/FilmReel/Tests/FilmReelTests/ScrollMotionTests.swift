import Testing

@testable import FilmReel

@Suite struct ScrollMotionTests {
    private func motion(limit: Double = 10_000) -> ScrollMotion {
        var motion = ScrollMotion()
        motion.setLimit(limit)
        return motion
    }

    @Test("the view approaches its target without overshoot, and arrives within half a second")
    func viewApproachesItsTarget() {
        var motion = motion()
        motion.scroll(by: 1374)
        var lastOffset = 0.0, time = 0.0
        while !motion.isAtRest, time < 2 {
            motion.advance(by: 1 / 60)
            time += 1 / 60
            #expect(motion.offset > lastOffset)
            #expect(motion.offset <= 1374)
            lastOffset = motion.offset
        }
        #expect(motion.offset == 1374)
        #expect(time < 0.5)
    }

    @Test("the motion does not depend on the frame rate")
    func motionIsIndependentOfTheFrameRate() {
        var motionInFourSteps = motion(), motionInOneStep = motion()
        motionInFourSteps.scroll(by: 1000)
        motionInOneStep.scroll(by: 1000)
        for _ in 0..<4 { motionInFourSteps.advance(by: 0.01) }
        motionInOneStep.advance(by: 0.04)
        #expect(abs(motionInFourSteps.offset - motionInOneStep.offset) < 0.001)
    }

    @Test func wheelStepsAddUp() {
        var motion = motion()
        for _ in 0..<5 {
            motion.scroll(by: 100)
            motion.advance(by: 1 / 60)
        }
        #expect(motion.target == 500)
    }

    @Test func viewStaysOnTheWall() {
        var motion = motion(limit: 500)
        motion.scroll(by: 900)
        #expect(motion.target == 500)
        motion.scroll(by: -9000)
        #expect(motion.target == 0)
        motion.jump(to: 400)
        motion.setLimit(100)
        #expect(motion.offset == 100)
        #expect(motion.target == 100)
        motion.setLimit(-5)
        #expect(motion.offset == 0)
    }

    @Test func constantSpeedEndsAtTheEdge() {
        var motion = motion(limit: 1000)
        motion.run(at: 600)
        motion.advance(by: 1)
        #expect(motion.offset == 600)
        #expect(!motion.isAtRest)
        motion.advance(by: 1)
        #expect(motion.offset == 1000)
        #expect(motion.isAtRest)
        motion.run(at: -600)
        #expect(motion.isMovingUp)
        motion.advance(by: 2)
        #expect(motion.offset == 0)
        #expect(motion.isAtRest)
    }

    @Test func scrollingEndsTheConstantSpeed() {
        var motion = motion()
        motion.run(at: 600)
        motion.advance(by: 1)
        motion.scroll(by: 100)
        #expect(motion.speed == 0)
        #expect(motion.target == 700)
    }
}
