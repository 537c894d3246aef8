import SharedFrames
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PresentationPlanTests {
    /// A request to the presenter; ``Simulation/submit(_:)`` passes it to the plan.
    private enum Request: CaseIterable {
        case schedule, reschedule, show, unschedule, withdraw, redraw, removeImage, clear, refreshOverlay
        case waitUntilDrawn, beginHandover, completeHandover, returnToLayer, attachOutput, removeOutput
        case inhibitScreensaver, permitScreensaver
    }

    /// The plan under test and the state of a simulated output.
    private struct Simulation {
        var plan = PresentationPlan()
        let frames: [VideoFrame]
        /// The number of frames that the simulation has scheduled or shown so far.
        var frameCount = 0
        var now: Int64 = 0
        var hasOutput = false
        /// The number of the frame that the output has drawn and not yet shown.
        var backBufferFrameID: UInt64?
        var keepsScreenOn = false
        /// The numbers that the plan has assigned to the requests to wait for the display server.
        var drawWaitNumbers: [Int] = []

        init(_ frames: [VideoFrame]) {
            self.frames = frames
            plan.isReportingEnabled = true
        }

        /// Passes a request to the plan.
        mutating func submit(_ request: Request) {
            switch request {
            case .schedule:
                frameCount += 1
                plan.schedule(frames[frameCount % frames.count], due: now + 2)
            case .reschedule: if let next = plan.scheduledFrame { plan.schedule(next.frame, due: now + 1) }
            case .show:
                frameCount += 1
                plan.show(frames[frameCount % frames.count], due: now)
            case .unschedule: plan.unschedule()
            case .withdraw: if let next = plan.scheduledFrame { plan.withdraw(next.frame.id) }
            case .redraw: plan.redraw(.redrawn, placeholder: "away")
            case .removeImage:
                plan.clear()
                plan.showPlaceholder(nil)
            case .clear: plan.clear()
            case .refreshOverlay: plan.refreshOverlay()
            case .waitUntilDrawn: drawWaitNumbers.append(plan.requestWaitUntilDrawn())
            case .beginHandover: plan.route = PresentationPlan.Route(destination: .both)
            case .completeHandover:
                plan.route = PresentationPlan.Route(destination: .remote)
                plan.showPlaceholder("away")
            case .returnToLayer:
                plan.route = PresentationPlan.Route()
                plan.redraw(.restored, placeholder: nil)
            case .attachOutput, .removeOutput:
                hasOutput = request == .attachOutput
                (backBufferFrameID, keepsScreenOn) = (nil, false)
                plan.outputDidChange(hasOutput: hasOutput, placeholder: "away")
            case .inhibitScreensaver: plan.wantsScreenOn = true
            case .permitScreensaver: plan.wantsScreenOn = false
            }
        }

        /// Carries out the steps of the plan until the plan waits.
        mutating func performAllSteps() {
            for _ in 0..<32 {
                switch plan.nextAction(now: now) {
                case .wait(let until):
                    #expect(until == plan.scheduledFrame?.due && plan.busySince == nil && plan.isIdle(now: now))
                    return
                case let step: perform(step)
                }
            }
            Issue.record("the presenter does not become idle")
        }

        /// Checks a step of the plan and carries the step out.
        private mutating func perform(_ step: PresentationPlan.Action) {
            #expect(plan.busySince == now && !plan.isIdle(now: now))
            switch step {
            case .keepScreenOn(let isOn):
                #expect(hasOutput && isOn != keepsScreenOn)
                keepsScreenOn = isOn
                plan.didComplete()
            case .show(let dueFrame, let isReady):
                #expect(!isReady || backBufferFrameID == dueFrame.frame.id)
                #expect(dueFrame.frame === plan.currentFrame && (dueFrame.reason != .scheduled || dueFrame.due <= now))
                backBufferFrameID = nil
                plan.didShow(at: now)
            case .placeholder:
                #expect(hasOutput)
                backBufferFrameID = nil
                plan.didComplete()
            case .refreshOverlay(let frame):
                #expect(frame === plan.currentFrame)
                plan.didComplete()
            case .waitUntilDrawn(let drawWaitNumber): plan.outputDidDraw(drawWaitNumber)
            case .prepare(let frame):
                #expect(hasOutput && plan.route.showsAtLayer)
                #expect(frame === plan.scheduledFrame?.frame && backBufferFrameID != frame.id)
                backBufferFrameID = frame.id
                plan.didPrepare(frame)
            case .wait: break
            }
        }

        /// Checks the conditions that must hold while the plan has no step to perform.
        func checkIdleConditions() {
            #expect(!hasOutput || keepsScreenOn == plan.wantsScreenOn)
            #expect(drawWaitNumbers.allSatisfy { plan.isDrawn($0) })
            if hasOutput, plan.route.showsAtLayer, let scheduledFrame = plan.scheduledFrame {
                #expect(backBufferFrameID == scheduledFrame.frame.id)
            }
            if let due = plan.scheduledFrame?.due { #expect(due > now) }
            #expect((plan.reports ?? []).count <= 8)
        }
    }

    private let frames: [VideoFrame]
    private let testFrames = TestFrames()

    init() throws {
        let testFrames = testFrames
        frames = try (1...16).map { try testFrames.frame(UInt64($0)) }
    }

    @Test("every sequence of four requests is carried out completely")
    func everySequenceOfFourRequestsIsCarriedOut() {
        let allRequests = Request.allCases
        for a in allRequests {
            for b in allRequests {
                for c in allRequests {
                    for d in allRequests {
                        var simulation = Simulation(frames)
                        for request in [a, b, c, d] {
                            simulation.submit(request)
                            // Some sequences are carried out request by request, the others all at once.
                            if a == c || b == d { simulation.performAllSteps() }
                        }
                        simulation.performAllSteps()
                        simulation.checkIdleConditions()
                        simulation.now += 3
                        simulation.performAllSteps()
                        simulation.checkIdleConditions()
                    }
                }
            }
        }
    }

    @Test("a long random sequence of requests keeps all conditions")
    func longRandomSequenceOfRequestsKeepsAllConditions() {
        var generator = SeededGenerator.printingSeed(), simulation = Simulation(frames)
        for _ in 0..<20_000 {
            simulation.submit(Request.allCases.randomElement(using: &generator) ?? .schedule)
            if Bool.random(using: &generator) { simulation.performAllSteps() }
            simulation.now += Int64.random(in: 0...2, using: &generator)
        }
        simulation.performAllSteps()
        simulation.checkIdleConditions()
    }

    @Test("each scheduled frame is reported once, as shown or as replaced by a newer one")
    func eachScheduledFrameIsReportedOnce() {
        var plan = PresentationPlan()
        plan.isReportingEnabled = true
        plan.schedule(frames[0], due: 5)
        guard case .wait(until: 5) = plan.nextAction(now: 4) else {
            return #expect(Bool(false), "the frame is shown before its time")
        }
        guard case .show = plan.nextAction(now: 5) else {
            return #expect(Bool(false), "the frame is not shown on time")
        }
        // Two more frames arrive while the first frame is being shown.
        plan.show(frames[1], due: 6)
        plan.show(frames[2], due: 7)
        plan.didShow(at: 8)
        #expect(
            plan.takeReports().map { [$0.frame.id, $0.shownTime.map { UInt64($0) } ?? 0] } == [
                [frames[1].id, 0], [frames[0].id, 8],
            ])
        guard case .show(let dueFrame, isReady: false) = plan.nextAction(now: 9) else {
            return #expect(Bool(false), "the newest frame is not shown")
        }
        #expect(dueFrame.frame === frames[2])
        plan.didShow(at: 9)
        #expect(plan.takeReports().map(\.shownTime) == [9] && plan.takeReports().isEmpty)
        // This frame is visible already, so it is not scheduled again.
        plan.schedule(frames[2], due: 10)
        #expect(plan.scheduledFrame == nil)
    }

    @Test("an immediate frame is shown before a scheduled one, however late both are")
    func immediateFrameIsShownBeforeAScheduledFrame() {
        var plan = PresentationPlan()
        plan.isReportingEnabled = true
        plan.show(frames[0], due: 1)
        plan.schedule(frames[1], due: 2)
        for frame in frames[0...1] {
            guard case .show(let dueFrame, _) = plan.nextAction(now: 9) else {
                return #expect(Bool(false), "a frame is missing")
            }
            #expect(dueFrame.frame === frame)
            plan.didShow(at: 9)
        }
        #expect(plan.takeReports().map(\.shownTime) == [9, 9])
    }

    @Test("an output attached while a frame is being shown shows that frame")
    func outputAttachedDuringPresentationShowsThePendingFrame() {
        var plan = PresentationPlan()
        plan.isReportingEnabled = true
        plan.outputDidChange(hasOutput: true, placeholder: nil)
        plan.schedule(frames[0], due: 0)
        guard case .show = plan.nextAction(now: 0) else { return #expect(Bool(false), "the frame is not shown") }
        plan.outputDidChange(hasOutput: true, placeholder: nil)
        guard case .show(let dueFrame, isReady: false) = plan.nextAction(now: 1) else {
            return #expect(Bool(false), "the frame is lost")
        }
        #expect(dueFrame.frame === frames[0] && dueFrame.reason == .scheduled)
        plan.didShow(at: 2)
        #expect(plan.takeReports().count == 1)
    }
}
