import SharedFrames
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PresentationPlanTests {
    private enum Request: CaseIterable {
        case schedule, retime, show, hold, withdraw, redraw, removeImage, clear, refreshOverlay, finish
        case begin, complete, giveBack, output, noOutput, screenOn, screenOff
    }

    /// A plan and the state of a simulated output.
    private struct World {
        var plan = PresentationPlan()
        let frames: [VideoFrame]
        var count = 0
        var now: Int64 = 0
        var isThere = false
        var backBuffer: UInt64?
        var keepsScreenOn = false
        /// The newest frame that each place has received.
        var lastAtLayer: UInt64 = 0, lastAtRemote: UInt64 = 0
        var tickets: [Int] = []

        init(_ frames: [VideoFrame]) {
            self.frames = frames
            plan.isReporting = true
        }

        mutating func make(_ request: Request) {
            switch request {
            case .schedule:
                count += 1
                plan.schedule(frames[count % frames.count], due: now + 2)
            case .retime: if let next = plan.next { plan.schedule(next.frame, due: now + 1) }
            case .show:
                count += 1
                plan.show(frames[count % frames.count], due: now)
            case .hold: plan.hold()
            case .withdraw: if let next = plan.next { plan.withdraw(next.frame.id) }
            case .redraw: plan.redraw(.redrawn, placeholder: "away")
            case .removeImage:
                plan.clear()
                plan.showPlaceholder(nil)
            case .clear: plan.clear()
            case .refreshOverlay: plan.refreshOverlay()
            case .finish: tickets.append(plan.requestFinish())
            case .begin: plan.route = PresentationPlan.Route(destination: .both)
            case .complete:
                plan.route = PresentationPlan.Route(destination: .remote)
                plan.showPlaceholder("away")
            case .giveBack:
                plan.route = PresentationPlan.Route()
                plan.redraw(.restored, placeholder: nil)
            case .output, .noOutput:
                isThere = request == .output
                (backBuffer, keepsScreenOn) = (nil, false)
                plan.outputChanged(isThere: isThere, placeholder: "away")
            case .screenOn: plan.wantsScreenOn = true
            case .screenOff: plan.wantsScreenOn = false
            }
        }

        /// Carries out steps until the plan waits.
        mutating func settle() {
            for _ in 0..<32 {
                switch plan.step(now: now) {
                case .wait(let until):
                    #expect(until == plan.next?.due && plan.busySince == nil && plan.isIdle(now: now))
                    return
                case let step: perform(step)
                }
            }
            Issue.record("the presenter does not become idle")
        }

        private mutating func perform(_ step: PresentationPlan.Step) {
            #expect(plan.busySince == now && !plan.isIdle(now: now))
            switch step {
            case .keepScreenOn(let on):
                #expect(isThere && on != keepsScreenOn)
                keepsScreenOn = on
                plan.completed()
            case .show(let showing, let isReady):
                #expect(!isReady || backBuffer == showing.frame.id)
                #expect(showing.frame === plan.current && (showing.reason != .scheduled || showing.due <= now))
                backBuffer = nil
                plan.shown(at: now)
            case .placeholder:
                #expect(isThere)
                backBuffer = nil
                plan.completed()
            case .refreshOverlay(let frame):
                #expect(frame === plan.current)
                plan.completed()
            case .finish(let ticket): plan.finished(ticket)
            case .prepare(let frame):
                #expect(isThere && plan.route.feedsLayer && frame === plan.next?.frame && backBuffer != frame.id)
                backBuffer = frame.id
                plan.prepared(frame)
            case .wait: break
            }
        }

        /// Checks the conditions that hold once the presenter is idle.
        func check() {
            #expect(!isThere || keepsScreenOn == plan.wantsScreenOn)
            #expect(tickets.allSatisfy { plan.isFinished($0) })
            if isThere, plan.route.feedsLayer, let next = plan.next { #expect(backBuffer == next.frame.id) }
            if let due = plan.next?.due { #expect(due > now) }
            #expect(plan.reports.count <= 8)
        }
    }

    private let frames: [VideoFrame]
    private let source = TestFrames()

    init() throws {
        let source = source
        frames = try (1...16).map { try source.frame(UInt64($0)) }
    }

    @Test("every sequence of four requests is carried out completely")
    func carriesOutEveryShortSequence() {
        let all = Request.allCases
        for a in all {
            for b in all {
                for c in all {
                    for d in all {
                        var world = World(frames)
                        for request in [a, b, c, d] {
                            world.make(request)
                            // Some sequences are carried out step by step, the others all at once.
                            if a == c || b == d { world.settle() }
                        }
                        world.settle()
                        world.check()
                        world.now += 3
                        world.settle()
                        world.check()
                    }
                }
            }
        }
    }

    @Test("a long random sequence of requests keeps all conditions")
    func carriesOutRandomSequences() {
        var generator = SeededGenerator.printingSeed(), world = World(frames)
        for _ in 0..<20_000 {
            world.make(Request.allCases.randomElement(using: &generator) ?? .schedule)
            if Bool.random(using: &generator) { world.settle() }
            world.now += Int64.random(in: 0...2, using: &generator)
        }
        world.settle()
        world.check()
    }

    @Test("each scheduled frame is reported once, as shown or as replaced by a newer one")
    func reportsEachFrameOnce() {
        var plan = PresentationPlan()
        plan.isReporting = true
        plan.schedule(frames[0], due: 5)
        guard case .wait(until: 5) = plan.step(now: 4) else {
            return #expect(Bool(false), "the frame is shown before its time")
        }
        guard case .show = plan.step(now: 5) else { return #expect(Bool(false), "the frame is not shown at its time") }
        // Two more frames arrive while the first is being shown.
        plan.show(frames[1], due: 6)
        plan.show(frames[2], due: 7)
        plan.shown(at: 8)
        #expect(
            plan.takeReports().map { [$0.frame.id, $0.shown.map { UInt64($0) } ?? 0] } == [
                [frames[1].id, 0], [frames[0].id, 8],
            ])
        guard case .show(let showing, isReady: false) = plan.step(now: 9) else {
            return #expect(Bool(false), "the newest frame is not shown")
        }
        #expect(showing.frame === frames[2])
        plan.shown(at: 9)
        #expect(plan.takeReports().map(\.shown) == [9] && plan.takeReports().isEmpty)
        // The frame is visible already.
        plan.schedule(frames[2], due: 10)
        #expect(plan.next == nil)
    }

    @Test("an immediate frame is shown before a scheduled one, however late both are")
    func immediateFrameComesFirst() {
        var plan = PresentationPlan()
        plan.isReporting = true
        plan.show(frames[0], due: 1)
        plan.schedule(frames[1], due: 2)
        for frame in frames[0...1] {
            guard case .show(let showing, _) = plan.step(now: 9) else {
                return #expect(Bool(false), "a frame is missing")
            }
            #expect(showing.frame === frame)
            plan.shown(at: 9)
        }
        #expect(plan.takeReports().map(\.shown) == [9, 9])
    }

    @Test("an output attached while a frame is being shown shows that frame")
    func newOutputShowsPendingFrame() {
        var plan = PresentationPlan()
        plan.isReporting = true
        plan.outputChanged(isThere: true, placeholder: nil)
        plan.schedule(frames[0], due: 0)
        guard case .show = plan.step(now: 0) else { return #expect(Bool(false), "the frame is not shown") }
        plan.outputChanged(isThere: true, placeholder: nil)
        guard case .show(let showing, isReady: false) = plan.step(now: 1) else {
            return #expect(Bool(false), "the frame is lost")
        }
        #expect(showing.frame === frames[0] && showing.reason == .scheduled)
        plan.shown(at: 2)
        #expect(plan.takeReports().count == 1)
    }
}
