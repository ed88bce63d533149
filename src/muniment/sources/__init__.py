"""Adapters that read evidence: plain files, working trees and git objects, behind `ports.source`."""
