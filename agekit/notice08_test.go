package agekit

var notices08 = []notice{}
