import Glibc
import SystemCalls

/// Keeping the clock, and watching that the device moves at all.
extension RenderLoop {
    /// Takes in where the device stands.
    func advanceClock(_ timing: PCMTiming) {
        // A device may take its time to start: until it has moved, nothing is heard.
        guard smoother.isAnchored || consumed > consumedAtStart else { return }
        control.extraDelay.store(max(0, timing.delay - (device.bufferFrames - timing.available)), ordering: .relaxed)
        smoother.update(measured: Double(written - timing.delay), time: timing.hostTime)
        let now = smoother.frame(at: MonotonicTime.now)
        heard = max(heard, min(Int(now.rounded(.down)), written))
        map.trim(heard: heard)
    }

    /// Gives room back to the producer, for what was rendered and for what was heard.
    func releaseHeard() {
        let streamHeard = min(map.stream(at: heard), cursor)
        if ring.release(upTo: max(streamHeard, cursor - Self.retained(device)), rendered: cursor) { spaceAvailable.signal() }
    }

    /// Lets the readers know.
    func publish() {
        var s = AudioClock.Snapshot()
        s.flush = flush
        s.base = base
        s.isLost = phase == .failed
        s.isRunning = phase == .running && smoother.isAnchored && !standsStill
        s.frame = s.isRunning ? smoother.frame : Double(heard)
        s.time = smoother.time
        s.slope = smoother.slope
        s.limit = written
        s.current = map.current
        s.next = map.next
        clock.publish(s)
    }

    /// Notices a device that takes nothing any more, and one that works again.
    func watch(_ timing: PCMTiming) throws(PCMFailure) {
        let now = MonotonicTime.now
        let taken = written - (device.bufferFrames - timing.available)
        if consumed == Int.min { consumedAtStart = taken }
        if taken > consumed {
            consumed = taken
            lastProgress = now
            if standsStill { setStandsStill(false) }
            if consumed - consumedAtStart >= device.periodFrames { proveHealthy() }
            if consumed - consumedAtStart >= format.rate { attempts = 0 }
            if !pace.keepsTime(frames: taken, time: timing.hostTime, rate: format.rate, tuning) { throw PCMFailure(.timing, ETIME) }
        } else {
            if now - lastProgress > tuning.stallLimit { throw PCMFailure(.wait, ETIMEDOUT) }
            // Long before it counts as broken it counts as no clock: the picture goes on without it.
            if !standsStill, now - lastProgress > max(tuning.standLimit, format.nanoseconds(of: device.periodFrames * 4)) { setStandsStill(true) }
        }
    }

    private func setStandsStill(_ stands: Bool) {
        standsStill = stands
        control.isFaltering.store(stands, ordering: .relaxed)
    }

    /// It plays. After an underrun that is all there is to know; what fails in another way may do so again and again between two periods, and is
    /// believed after a second.
    private func proveHealthy() {
        guard needsProof else { return }
        needsProof = false
        control.isFaltering.store(false, ordering: .relaxed)
        if lastFailureWasUnderrun { attempts = 0 }
        events.recovered()
    }
}
